"""The tokens behind the rows and columns of an attention, as far as a pass has proven them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from model.foreign.recording.attention import FAR_BELOW, AttentionCall
from model.foreign.recording.labels import MIXED, NOTHING
from model.foreign.recording.provenance import Provenance

_NO_TEXT = ("mask", "position", "type", "label")
"""Parts of the names of arguments that are not texts."""
Row = tuple[int, int] | int
"""The number of an input and a position in it, or else NOTHING or MIXED."""


@dataclass(frozen=True)
class Axis:
    """The tokens behind the rows, or the columns, of one attention, in the first of several texts.

    They are also known for texts of other lengths, if all tokens of a text are there in order.
    """

    rows: tuple[Row, ...]
    lengths: Mapping[int, int] = field(default_factory=dict)
    """The number of positions of each input that is read here."""
    axes: Mapping[int, int] = field(default_factory=dict)
    """The axis of each such input that holds the positions; images have none."""
    grids: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """The rows and columns of patches of each image that is read here."""

    @property
    def inputs(self) -> frozenset[int]:
        """The numbers of the inputs that are read here."""
        return frozenset(row[0] for row in self.rows if isinstance(row, tuple))

    def of_size(self, size: int, given: Sequence[Tensor]) -> tuple[Row, ...] | None:
        """Return the tokens behind `size` rows in a pass on these inputs; None if unknown."""
        now = dict(self.lengths)
        for n, axis in self.axes.items():
            now[n] = given[n].size(axis) if n < len(given) else 0
        if size == len(self.rows) and now == self.lengths:
            return self.rows
        if not self.inputs:
            return (self.rows[0] if self.rows else MIXED,) * size
        made: list[Row] = []
        at = 0
        while at < len(self.rows):
            row = self.rows[at]
            if row == NOTHING:
                made.append(row)
                at += 1
                continue
            n = row[0] if isinstance(row, tuple) else MIXED
            length = self.lengths.get(n, 0)
            if not length or self.rows[at : at + length] != tuple((n, i) for i in range(length)):
                return None
            at += length
            made += [(n, i) for i in range(now[n])]
        return tuple(made) if len(made) == size else None


@dataclass(frozen=True)
class Reads:
    """The tokens that one attention reads."""

    query: Axis
    key: Axis
    is_causal: bool | None
    """Whether no row reads a later position of its text; None if it has no later one."""
    parts: int
    """The number of rows of the batch for each text, such as the windows of an image."""

    is_own: bool | None
    """Whether it reads the text that its rows belong to; None if unknown."""


def text_inputs(args: tuple, inputs: Mapping[str, object]) -> list[tuple[str | int, Tensor]]:
    """Return the arguments that are texts, vectors or images, each with its place or its name.

    Masks, positions and kinds of text do not count.
    """
    given = [*enumerate(args), *inputs.items()]
    return [(name, x) for name, x in given if isinstance(x, Tensor) and _is_text(name, x)]


def _is_text(name: str | int, x: Tensor) -> bool:
    if x.dtype == torch.bool or not x.numel() or x.is_nested or x.layout != torch.strided:
        return False
    if isinstance(name, str) and any(
        word in name for word in ("mask", "position", "type", "label")
    ):
        return False
    return x.dim() in (2, 3, 4) if x.is_floating_point() else x.dim() in (1, 2)


def reads_of(
    call: AttentionCall, found: Provenance, projected: tuple[Tensor, Tensor] | None, batch: int
) -> Reads:
    """Describe the tokens that an attention reads, by the labels of its queries and keys.

    `projected` are the queries and keys of `F.multi_head_attention_forward` before its projections.
    """
    if projected is None:
        query, key = _labels(found, call.query), _labels(found, call.key)
    else:
        query, key = (_before_maps(found, x) for x in projected)
    query_axis = _axis(query, call.query.size(2), found)
    key_axis = _axis(key, call.key.size(2), found)
    texts = call.query.size(0)
    parts = texts // batch if batch and texts % batch == 0 else 1
    is_own = _is_own(query_axis, key_axis, len(found.inputs))
    return Reads(query_axis, key_axis, _is_causal(call, query_axis, key_axis), parts, is_own)


def _is_own(query: Axis, key: Axis, texts: int) -> bool | None:
    """Return whether an attention reads the text that its rows belong to; None if unknown.

    If there is only one text, rows that mix several tokens belong to it.
    """
    is_of_query, is_of_key = (
        axis.inputs or ({0} if MIXED in axis.rows and texts == 1 else set())
        for axis in (query, key)
    )
    if not is_of_query and not is_of_key:
        return None
    if MIXED in (*query.rows, *key.rows) and not (is_of_query and is_of_key):
        return None
    return bool(is_of_query) and is_of_query <= is_of_key


def _labels(found: Provenance, x: Tensor) -> Tensor | None:
    labels = found.of(x)
    return None if labels is None else labels[0].movedim(1, 0).flatten(1)


def _before_maps(found: Provenance, x: Tensor) -> Tensor | None:
    labels = found.of(x)
    return None if labels is None else (labels[:, 0] if labels.dim() == 3 else labels)


def _axis(labels: Tensor | None, size: int, found: Provenance) -> Axis:
    """Turn labels, (row, number), into rows; rows that torch appends become NOTHING."""
    if labels is None:
        return Axis((NOTHING,) * size)
    most = labels.amax(dim=1)
    known = labels.masked_fill(labels < 0, torch.iinfo(torch.int32).max).amin(dim=1)
    one = torch.where(most < 0, labels.amin(dim=1), torch.where(known == most, most, MIXED))
    rows = [*one.tolist(), *[NOTHING] * (size - len(one))]
    return _placed(rows, found)


def _placed(labels: Sequence[int], found: Provenance) -> Axis:
    firsts = [first for first, _ in found.inputs]
    places: dict[int, tuple[int, tuple[int, ...]]] = {}
    for i, label in enumerate(labels):
        if label >= 0:
            n = max(k for k, first in enumerate(firsts) if first <= label and found.inputs[k][1])
            places[i] = n, _unravelled(label - firsts[n], found.inputs[n][1])
    rows: list[Row] = [label if label < 0 else MIXED for label in labels]
    lengths: dict[int, int] = {}
    axes: dict[int, int] = {}
    grids: dict[int, tuple[int, int]] = {}
    for n in {n for n, _ in places.values()}:
        mine = {i: place for i, (k, place) in places.items() if k == n}
        sizes = found.inputs[n][1]
        if len(sizes) == 3:  # an image, row by row
            flat = {i: y * sizes[2] + x for i, (_, y, x) in mine.items()}
            axis_length = sizes[1] * sizes[2]
            grids[n] = sizes[1:]
        else:
            axis = _axis_of_positions(sizes, list(mine.values()))
            if axis is None:
                continue
            flat = {i: place[axis] for i, place in mine.items()}
            axis_length = sizes[axis]
            axes[n] = axis
        lengths[n] = axis_length
        for i, at in flat.items():
            rows[i] = n, at
    return Axis(tuple(rows), lengths, axes, grids)


def _axis_of_positions(sizes: tuple[int, ...], places: Sequence[tuple[int, ...]]) -> int | None:
    """Find the axis of an input that holds positions; the other axes hold one text here."""
    if len(sizes) == 1:
        return 0
    varying = [i for i in range(len(sizes)) if len({place[i] for place in places}) > 1]
    if len(varying) == 1:
        return varying[0]
    if varying:
        return None
    return 0 if sizes[1] == 1 and sizes[0] > 1 else 1


def _unravelled(flat: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    place: list[int] = []
    for size in reversed(sizes):
        flat, at = divmod(flat, size)
        place.append(at)
    return tuple(reversed(place))


def _is_causal(call: AttentionCall, query: Axis, key: Axis) -> bool | None:
    """Return whether no row reads a later position of its text; None if unknown.

    Rows whose keys are all hidden, such as those of padding, decide nothing.
    """
    own = query.inputs & key.inputs
    if not own:
        return None
    seen = call.mask if call.bias is None else call.mask & (call.bias > FAR_BELOW)
    rows = seen.any(dim=-1, keepdim=True)
    visible = (call.mask & rows)[0].any(dim=0).expand(len(query.rows), -1)
    device = call.mask.device

    def places(axis: Axis, otherwise: int) -> Tensor:
        flat = [
            row[1] if isinstance(row, tuple) and row[0] in own else otherwise for row in axis.rows
        ]
        return torch.tensor(flat, device=device)

    far = 1 << 30
    later = places(key, -1)[None] > places(query, far)[:, None]
    return None if not later.any() else not bool((visible & later).any())
