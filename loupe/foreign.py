"""Runs of third-party models: from transformers, or any other torch module."""

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from loupe.asked import Asked
from loupe.axes import Said, axes_of
from loupe.batches import cut, padded
from loupe.fingerprints import fingerprint
from loupe.how import How
from loupe.kept import keep, kept, key_of
from loupe.records import AxisNames, Record, Tokens, attentions_in
from loupe.run import Run
from loupe.texts import name_places
from model.config import Side
from model.foreign.huggingface.facts import anatomy_of_record
from model.foreign.recording import ModuleTrace, PickedTrace, Recorded, attached
from model.foreign.recording.passes import beginning_alike
from model.foreign.recording.plan import Known, StalePlanError
from model.foreign.recording.reads import text_inputs
from model.foreign.recording.sums import tensors_in
from model.traces import TransformerTrace, counted, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Inputs = Tensor | Sequence[Tensor] | Mapping[str, Any]
"""The arguments of a module: one, several, or several by name."""


def is_of_transformers(model: nn.Module) -> bool:
    """Return whether a module is a transformers model, without importing transformers."""
    kinds = type(model).__mro__
    return hasattr(model, "config") and any(k.__module__.startswith("transformers.") for k in kinds)


def trace_transformers(model: nn.Module, asked: Asked, how: How) -> Run:
    """Record a transformers model. Raises ValueError if no attention can be recorded."""
    run = _recorded(model, asked.names, how, (), asked.inputs, is_open=asked.is_open)
    return _of_transformers(run, model, asked)


def _of_transformers(run: Run, model: nn.Module, asked: Asked) -> Run:
    return replace(
        run,
        model=model_name(model),
        origin="transformers",
        given=asked.is_given,
        text=asked.text,
    )


def trace_together(
    model: Any,  # noqa: ANN401
    asked: Sequence[Asked],
    how: How,
) -> list[Run]:
    """Record a transformers model on several texts in one pass.

    Raises StalePlanError if the pass differs from the plan made with the longest text alone.
    """
    longest = max(asked, key=_length)
    key = key_of(model, (), longest.inputs)
    if kept(model, key) is None:
        trace_transformers(model, longest, how)
    # The longest first: tensors that all texts share, such as positions, are the first text's.
    order = sorted(asked, key=_length, reverse=True)
    fill = next(iter(x for x in (getattr(model.config, "pad_token_id", None), 0) if x is not None))
    inputs = {}
    for name, first in longest.inputs.items():
        rows = [each.inputs[name] for each in order]
        inputs[name] = padded(rows, fill if name.endswith("input_ids") else 0).to(first)
    masks = [torch.ones_like(each.inputs["input_ids"]) for each in order]
    inputs["attention_mask"] = inputs.get("attention_mask", padded(masks, 0))
    found, known = _pass(model, how, (), inputs, kept(model, key), must_know=True)
    runs = {}
    for row, each in enumerate(order):
        lengths = _lengths(each)
        last = "target" if known.plan and known.plan.stacks[-1].side == "decoder" else "source"
        record = cut(found.trace, row, lengths, last)
        pass_ = Pass(found, known, (), each.inputs)
        runs[each] = _of_transformers(
            _run(model, record, each.names, how, pass_, is_open=each.is_open), model, each
        )
    return [runs[each] for each in asked]


def _length(asked: Asked) -> int:
    return sum(_lengths(asked).values())


def _lengths(asked: Asked) -> dict[Side, int]:
    """Return the number of tokens on each side; a single stack counts for both."""
    source = asked.inputs["input_ids"].size(1)
    target = asked.inputs.get("decoder_input_ids", asked.inputs["input_ids"]).size(1)
    return {"source": source, "target": target}


def trace_any(
    module: nn.Module,
    names: Tokens,
    texts: Sequence[Tensor],
    how: How,
    inputs: Inputs,
) -> Run:
    """Record any module on the ids of its texts, or on its own arguments.

    Raises ValueError if no attention can be recorded.
    """
    arguments, by_name = _arguments(inputs)
    run = _recorded(module, names, how, (*texts, *arguments), by_name)
    return replace(run, given=len(texts) > 1)


@dataclass(frozen=True, eq=False)
class Pass:
    """A recorded pass and its arguments."""

    found: Recorded
    known: Known
    args: tuple
    inputs: Mapping[str, Any]


def _recorded(
    module: nn.Module,
    names: Tokens,
    how: How,
    args: tuple,
    inputs: Mapping[str, Any],
    *,
    is_open: bool = False,
) -> Run:
    """Record a module: by Loupe's names if its pass proves them, else by the module's own."""
    key = key_of(module, args, inputs)
    before = kept(module, key)
    try:
        found, known = _pass(module, how, args, inputs, before)
        done = Pass(found, known, args, inputs)
        run = _run(
            module, found.trace, names, how, done, is_open=is_open, strict=before is not None
        )
    except StalePlanError:
        found, known = _pass(module, how, args, inputs, None)
        done = Pass(found, known, args, inputs)
        run = _run(module, found.trace, names, how, done, is_open=is_open)
    if known.plan and isinstance(found.trace, TransformerTrace):
        known.anatomy = known.anatomy or anatomy_of_record(module, known.plan, counted(found.trace))
    keep(module, key, known)
    return replace(run, anatomy=known.anatomy)


def _run(
    module: nn.Module,
    trace: Record,
    names: Tokens,
    how: How,
    done: Pass,
    *,
    is_open: bool = False,
    strict: bool = False,
) -> Run:
    found, known = done.found, done.known
    stacks = [each.side for each in known.plan.stacks] if known.plan else []
    if stacks == ["decoder"]:
        names = names if names.target else Tokens((), names.source)
    given = [x for _, x in text_inputs(done.args, done.inputs)]
    writes = len(stacks) == 2 and bool(names.target) and (is_open or _is_longer(names, done))
    said = Said(names, given, writes, has_past=done.inputs.get("past_key_values") is not None)
    axes = axes_of(_sizes(trace), known, said, strict=strict)
    return Run(
        record=trace,
        tokens=_for_all_rows(names, trace, axes, _image(done.args, done.inputs)),
        model=type(module).__name__,
        origin="module",
        differs=None if how.edits.by_name or how.check is False else known.difference,
        compared=found.difference is not None,
        own_names=known.plan.own_names if known.plan else {},
        anatomy=known.anatomy,
        outputs=found.outputs,
        axes=axes,
        missing=known.missing,
        is_open=is_open,
        fingerprint=fingerprint(module),
        lacks=_lacks(known, found),
        graph_places=found.graph_places,
    )


def _is_longer(names: Tokens, done: Pass) -> bool:
    """Return whether the last token of the target is written but not read."""
    ids = done.inputs.get("decoder_input_ids", done.inputs.get("labels"))
    texts = [x for _, x in text_inputs(done.args, done.inputs)]
    read = ids if isinstance(ids, Tensor) else texts[-1] if texts else None
    return read is not None and len(names.target) > read.size(-1)


def _sizes(trace: Record) -> dict[str, tuple[int, int]]:
    """Return the numbers of rows and columns of each attention in a record, by its name."""
    if isinstance(trace, PickedTrace):
        return {}
    if isinstance(trace, ModuleTrace):
        found = {name: each.weights for name, each in trace.attentions.items()}
    else:
        found = {
            f"{stack}.layers.{number}.{part}": attention.weights
            for stack in ("encoder", "decoder")
            if (layers := getattr(getattr(trace, stack), "layers", None))
            for number, layer in zip(numbers_of(layers), layers, strict=True)
            for part in ("self_attn", "cross_attn")
            if (attention := getattr(layer, part, None)) is not None
        }
    return {name: (x.size(-2), x.size(-1)) for name, x in found.items()}


def _lacks(known: Known, found: Recorded) -> str:
    """Describe the parts of a model that were not proven."""
    said = [known.lacks] if known.lacks and known.plan is None else []
    if found.unsplit:
        said.append(
            f"Loupe could not tell texts from heads in {', '.join(found.unsplit)}, and shows all "
            "as heads of one text"
        )
    return "; ".join(said)


def _pass(
    module: nn.Module,
    how: How,
    args: tuple,
    inputs: Mapping[str, Any],
    known: Known | None,
    *,
    must_know: bool = False,
) -> tuple[Recorded, Known]:
    """Record a pass, and return the facts that it shows about the model.

    Raises StalePlanError if the pass differs from the known plan, or if a required plan is missing.
    """
    if must_know and (known is None or known.plan is None):
        raise StalePlanError("no plan is known for this pass")
    with attached(module, *args, known=known, outputs=how.record, **inputs) as ready:
        known = ready.known
        check = known.difference is None if how.check is None else how.check
        found = ready.run(*args, edits=how.edits, check=check, keep=how.keep, **inputs)
    if found.difference is not None:
        known.difference = found.difference
    return found, known


@contextmanager
def leaving_random_numbers(model: nn.Module) -> "Iterator[None]":
    """Restore the state of random numbers after a block: Python's, and torch's on all devices."""
    devices = {each.device for each in model.parameters()}
    cuda = [device for device in devices if device.type == "cuda"]
    with torch.random.fork_rng(devices=cuda), beginning_alike():
        yield


def model_name(model: Any) -> str:  # noqa: ANN401
    """Name a transformers model after its folder, or else its class."""
    known = str(getattr(model.config, "_name_or_path", ""))
    return PurePath(known).name or type(model).__name__


def _arguments(inputs: Inputs) -> tuple[tuple[Tensor, ...], Mapping[str, Any]]:
    if isinstance(inputs, Tensor):
        return (inputs,), {}
    if isinstance(inputs, Mapping):
        return (), inputs
    return tuple(inputs), {}


def _image(*given: object) -> Tensor | None:
    """Find the image among a model's arguments: (batch channel row column)."""
    return next((x for x in tensors_in(given) if x.dim() == 4 and x.is_floating_point()), None)


def _for_all_rows(
    names: Tokens, found: Record, axes: Mapping[str, AxisNames], image: Tensor | None
) -> Tokens:
    """Return the tokens of both texts, or position numbers if the model reads no text."""
    attentions = attentions_in(found, axes=axes)
    if names.source or names.target:
        sides = {each.queries[0] for each in attentions} | {each.keys[0] for each in attentions}
        one_text = not names.target and sides == {"target"}
        return Tokens((), names.source) if one_text else names
    image = None if any(each.parts > 1 for each in axes.values()) else image
    longest = {"source": 0, "target": 0}
    for each in attentions:
        pairs = zip((each.queries[0], each.keys[0]), each.layers[0].weights.shape[-2:], strict=True)
        for side, size in pairs:
            longest[side] = max(longest[side], size)
    return Tokens(name_places(longest["source"], image), name_places(longest["target"]))
