"""Reads the tensors and the attentions of a record, whichever way it was made."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from torch import Tensor

from model.anatomy import SITE_NAMES, SiteName, attention_in
from model.config import Side
from model.foreign.recording import Keep, ModuleTrace, PickedTrace, RecordedAttention
from model.foreign.recording.attention import is_causal
from model.traces import (
    AttentionTrace,
    TransformerTrace,
    changed_tensors,
    find_tensor,
    named_tensors,
    numbers_of,
)

Record = TransformerTrace | ModuleTrace | PickedTrace

_CAUGHT = ("query", "key", "value", "scores", "mask", "weights", "heads", "output")


class Tokens(NamedTuple):
    """The tokens of both texts; the second is empty if a model reads one text."""

    source: tuple[str, ...]
    target: tuple[str, ...]


class AxisNames(NamedTuple):
    """Names of the rows and columns of one attention, as far as a pass proves them."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    is_own: bool | None
    """Whether it reads the text that its rows belong to; None if unknown."""
    is_causal: bool | None
    """Whether no row reads a later token of its text; None if unknown."""
    parts: int
    """Rows of the batch for each text, such as the windows of an image."""
    of_image: bool


class Attentions(NamedTuple):
    """All attentions of a model that are of one kind, layer by layer."""

    kind: SiteName
    name: str
    """The name of the weights in the record, with `{layer}` instead of a layer's number."""
    layers: tuple[AttentionTrace, ...]
    queries: tuple[Side, int]
    """The text of the rows, and the number of its token that names the first row."""
    keys: tuple[Side, int]
    names: AxisNames | None = None
    """The names of rows and columns; None if they are the tokens of the texts."""


def named_in(record: Record) -> Iterator[tuple[str, Tensor]]:
    """Yield every tensor of a record under its name, in the order they were computed."""
    if isinstance(record, PickedTrace):
        yield from record.tensors.items()
    elif isinstance(record, ModuleTrace):
        for path, caught in record.attentions.items():
            for part in _CAUGHT:
                if (tensor := getattr(caught, part)) is not None:
                    yield f"{path}.{part}", tensor
    else:
        yield from named_tensors(record)


def attention_traces(record: Record) -> Iterator[tuple[str, AttentionTrace]]:
    """Yield every attention of a record by its name."""
    if isinstance(record, ModuleTrace):
        yield from record.attentions.items()
    elif isinstance(record, TransformerTrace):
        for side in ("encoder", "decoder"):
            for i, layer in enumerate(getattr(getattr(record, side), "layers", ())):
                for part in ("self_attn", "cross_attn"):
                    if (found := getattr(layer, part, None)) is not None:
                        yield f"{side}.layers.{i}.{part}", found


def find_in(record: Record, name: str) -> Tensor:
    """Find a tensor by its name. Raises LookupError if there is none."""
    if isinstance(record, PickedTrace):
        return record.tensors[name]
    if isinstance(record, ModuleTrace):
        path, _, part = name.rpartition(".")
        found = getattr(record[path], part) if part in _CAUGHT else None
        if found is None:
            raise LookupError(name)
        return found
    try:
        return find_tensor(record, name)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise LookupError(name) from error


def changed(record: Record, change: Callable[[str, Tensor], Tensor]) -> Record:
    """Return a record in which `change`, given its name and value, replaces each tensor."""
    if isinstance(record, PickedTrace):
        return PickedTrace({name: change(name, x) for name, x in record.tensors.items()})
    if isinstance(record, ModuleTrace):
        new = {p: changed_tensors(x, change, f"{p}.") for p, x in record.attentions.items()}
        return replace(record, attentions=new)
    return changed_tensors(record, change)


def kept(record: Record, keep: Keep) -> Record:
    """Return the tensors of a record that match the patterns, on the device that keeps them.

    Raises ValueError if a pattern matches no name.
    """
    if keep.names is not None:
        found = dict(named_in(record))
        keep.check(found)
        record = PickedTrace({name: x for name, x in found.items() if keep.wants(name)})
    return changed(record, lambda _, x: keep.brought(x)) if keep.device else record


def attentions_in(
    record: Record, *, writes: bool = False, axes: Mapping[str, AxisNames] | None = None
) -> tuple[Attentions, ...]:
    """Find the attentions of a record, kind by kind.

    With `writes`, a row of the decoder is named after the token that it writes, the one after the
    token that it reads. `axes` name rows and columns, by the names of the attentions.
    """
    if isinstance(record, PickedTrace):
        return ()
    if isinstance(record, ModuleTrace):
        return _of_module(record, axes or {})
    found = (_of_kind(record, kind, int(writes), axes or {}) for kind in SITE_NAMES)
    return tuple(attentions for attentions in found if attentions.layers)


def _of_kind(
    trace: TransformerTrace, kind: SiteName, written: int, axes: Mapping[str, AxisNames]
) -> Attentions:
    stack = "encoder" if kind == "encoder self-attention" else "decoder"
    part = "cross_attn" if kind == "cross-attention" else "self_attn"
    layers = getattr(getattr(trace, stack), "layers", ())
    has_part = bool(layers) and getattr(layers[0], part) is not None
    numbers = numbers_of(layers)
    first = axes.get(f"{stack}.layers.{numbers[0]}.{part}") if has_part else None
    alike: list[AttentionTrace] = []
    for i, number in enumerate(numbers if has_part else ()):
        layer = attention_in(trace, kind, i)
        is_other = axes.get(f"{stack}.layers.{number}.{part}") != first
        if is_other or (alike and layer.weights.shape != alike[0].weights.shape):
            break
        alike.append(layer)
    place = "{layer}" if numbers == tuple(range(len(layers))) else "*"
    return Attentions(
        kind=kind,
        name=f"{stack}.layers.{place}.{part}.weights",
        layers=tuple(alike),
        queries=("source", 0) if stack == "encoder" else ("target", written),
        keys=("target", 0) if kind == "decoder self-attention" else ("source", 0),
        names=first,
    )


def _of_module(record: ModuleTrace, axes: Mapping[str, AxisNames]) -> tuple[Attentions, ...]:
    """Sort the attentions of a module by the texts that they read, the only known fact.

    Attentions of equal shape whose names differ only in numbers are layers of one stack. If several
    stacks are of one kind, the first is returned.
    """
    groups: dict[tuple, list[str]] = {}
    for name, each in record.attentions.items():
        shapes = each.query.shape, each.key.shape, each.value.shape
        key = re.sub(r"\d+", "*", name), *shapes, each.reads_itself, axes.get(name)
        groups.setdefault(key, []).append(name)
    found: dict[SiteName, Attentions] = {}
    for (common, *_), names in groups.items():
        layers = tuple(record[name] for name in names)
        named = axes.get(names[0])
        kind = _kind_of(layers, named)
        found.setdefault(
            kind,
            Attentions(
                kind=kind,
                name=f"{_numbered(common, names)}.weights",
                layers=layers,
                queries=("source" if kind == "encoder self-attention" else "target", 0),
                keys=("target" if kind == "decoder self-attention" else "source", 0),
                names=named,
            ),
        )
    return tuple(found[kind] for kind in SITE_NAMES if kind in found)


def _kind_of(layers: Sequence[RecordedAttention], named: AxisNames | None) -> SiteName:
    first = layers[0]
    is_own = named.is_own if named else None
    if is_own is None:
        is_own = first.reads_itself
    if is_own is None:
        is_own = first.query.size(2) == first.key.size(2)
    if not is_own:
        return "cross-attention"
    causal = named.is_causal if named else None
    if causal is None:
        causal = all(is_causal(each.mask, each.query.size(2)) for each in layers)
    return "decoder self-attention" if causal else "encoder self-attention"


def _numbered(common: str, names: Sequence[str]) -> str:
    """Name layers by one pattern with `{layer}`, if numbers in that place yield all names."""
    numbered = [common.replace("*", str(i)) for i in range(len(names))]
    return common.replace("*", "{layer}") if numbered == list(names) else common
