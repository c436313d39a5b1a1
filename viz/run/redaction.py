"""Redaction of a run: the parts that are not sent to the browser while a question is open.

`hidden_parts` alone decides about them. On a site the browser makes its runs itself, so it gets the
decision as data, and `viz/site/browser/cover.js` applies it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from jaxtyping import UInt16

from viz.run.axes import AttentionKind
from viz.run.codes import CODE_COVERED
from viz.run.inputs import run_key
from viz.run.payload import Payload
from viz.run.tensor_parcel import TensorParcel, select_tensors
from viz.run.view import View
from viz.run.wire import WireCover, WireStack

Taken = Literal["key", "query", "head", "nothing"]
"""The part of a picture that answers the question: a cell of the row in question, a row, a head, or
nothing, if the options are not in a picture."""

COVERED_TOKEN = "…"
_TENSORS = {
    "encoder": ("encoder.", "source_embedding."),
    "decoder": ("decoder.", "target_embedding."),
}
"""Prefixes of the names of a stack's tensors."""
_PREDICTED = ("logits", "output")


class CoveredRows(NamedTuple):
    """Rows of one kind of attention whose weights are hidden."""

    kind: AttentionKind
    rows: tuple[int, ...]
    """The same in every head; empty for all rows."""


class Redaction(NamedTuple):
    """The hidden parts of a run, and the part of a picture that answers the question."""

    takes: Taken
    rows: tuple[CoveredRows, ...] = ()
    words: tuple[int, ...] = ()
    """Positions in the target (`<s>` is 0). The rows that write such a word are hidden too."""

    @property
    def hides(self) -> bool:
        """Whether anything is hidden."""
        return bool(self.rows or self.words)


def uncovered(cover: Redaction) -> Redaction:
    """Return a cover that hides nothing, but names the rows as the question did."""
    return Redaction(cover.takes)


def covered(view: View, cover: Redaction) -> View:
    """Return a view whose parcel lacks the hidden parts; for the browser it is another run."""
    return view._replace(parcel=cover_parcel(view.parcel, cover))


def keep_tensors(parcel: Payload, is_kept: Callable[[str], bool]) -> Payload:
    """Return a packed run with only some of its tensors, chosen by name."""
    meta: dict[str, Any] = parcel.data["meta"]
    if not meta["tensors"]:
        return parcel
    packed = TensorParcel(meta["tensors"], parcel.data["numbers"])
    said, numbers = select_tensors(packed, is_kept)
    data = {**parcel.data, "meta": {**meta, "tensors": said}, "numbers": numbers}
    return parcel._replace(data=data)


def hidden_parts(kinds: Mapping[AttentionKind, WireStack], cover: Redaction) -> WireCover:
    """List the parts that a cover hides in a run with these attentions.

    A hidden row of weights hides all tensors of its stack, since queries, scores and outputs tell
    the weights, and states tell the words. The stack that predicts also hides the probabilities.
    """
    rows: dict[AttentionKind, tuple[int, ...]] = {}
    for kind, stack in kinds.items():
        if (found := _hidden_rows(kind, stack, cover)) is not None:
            rows[kind] = found
    stacks = {kind: stack["name"].partition(".")[0] for kind, stack in kinds.items()}
    predicts = [*stacks.values()][-1]
    hidden = {stacks[kind] for kind in rows} | ({predicts} if cover.words else set())
    names = [name for stack in sorted(hidden) for name in _TENSORS[stack]]
    return {
        "by_readers": cover.takes == "query",
        "rows": rows,
        "words": cover.words,
        "tensors": [*names, *_PREDICTED] if predicts in hidden else names,
        "told": predicts in hidden,
    }


def cover_parcel(parcel: Payload, cover: Redaction) -> Payload:
    """Remove the hidden parts from a packed run, and the gold alignment, which tells them too."""
    kinds: dict[AttentionKind, WireStack] = parcel.data["meta"]["kinds"]
    hidden = hidden_parts(kinds, cover)
    key = run_key(parcel.key, *cover)
    beginnings = tuple(hidden["tensors"])
    left = keep_tensors(parcel, lambda name: not name.startswith(beginnings)).data
    meta: dict[str, Any] = left["meta"]
    codes = parcel.data["codes"]["code"].to_numpy().copy()
    for kind, rows in hidden["rows"].items():
        _cover_stack(codes, kinds[kind], rows)
    changed: dict[str, Any] = {
        "run": key,
        "kinds": _named_by_readers(kinds) if hidden["by_readers"] else kinds,
        "tokens": dict(meta["tokens"]) | {"target": _hidden_words(meta, cover)},
        "gold": None,
        "told": None if hidden["told"] else meta["told"],
    }
    data = {**left, "codes": pa.table({"code": codes}), "meta": {**meta, **changed}}
    return parcel._replace(key=key, gold=None, data=data, by_readers=hidden["by_readers"])


def _named_by_readers(kinds: Mapping[AttentionKind, WireStack]) -> dict[AttentionKind, WireStack]:
    """Name the decoder's rows after the token that they read, for a question about rows."""
    return {
        kind: {**stack, "queries": ("target", 0)} if stack["queries"][0] == "target" else stack
        for kind, stack in kinds.items()
    }


def _hidden_words(meta: Mapping[str, Any], cover: Redaction) -> tuple[str, ...]:
    target = meta["tokens"]["target"]
    return tuple(COVERED_TOKEN if i in cover.words else token for i, token in enumerate(target))


def _hidden_rows(kind: AttentionKind, stack: WireStack, cover: Redaction) -> tuple[int, ...] | None:
    """List the rows of a kind whose weights are hidden: empty for all rows, None for no row."""
    named = [rows for asked, rows in cover.rows if asked == kind]
    if () in named:
        return ()
    found = {row for rows in named for row in rows}
    text, first = stack["queries"]
    if text == "target":
        found |= {position - first for position in cover.words}
    return tuple(sorted(row for row in found if 0 <= row < stack["rows"])) or None


def _cover_stack(
    codes: UInt16[np.ndarray, " size"], stack: WireStack, rows: tuple[int, ...]
) -> None:
    """Cover rows in every head; cover a reduced matrix completely."""
    drawn_rows, drawn_columns = stack["drawn"]
    shape = (stack["layers"] * stack["heads"], drawn_rows, drawn_columns)
    size = shape[0] * shape[1] * shape[2]
    part = codes[stack["offset"] : stack["offset"] + size].reshape(shape)
    is_whole = stack["drawn"] == [stack["rows"], stack["columns"]]
    part[:, [*rows] if rows and is_whole else slice(None)] = CODE_COVERED
