"""What of a run is hidden while a question about it is open: it is not sent to the browser."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from jaxtyping import UInt16

from viz.run.codes import CODE_COVERED
from viz.run.packing import run_key
from viz.run.payload import Payload
from viz.run.record import AttentionKind
from viz.run.view import View
from viz.run.wire import WireStack

Taken = Literal["key", "query", "head", "nothing"]
"""What of a picture answers the question: a cell of the asked row, a row, a head; or the words and
fields beside the question alone."""

COVERED_TOKEN = "…"


class CoveredRows(NamedTuple):
    """Rows of one kind of attention whose weights are hidden."""

    kind: AttentionKind
    rows: tuple[int, ...]
    """In every head; empty for all rows."""


class Redaction(NamedTuple):
    """What is hidden of a run, and what answers the question."""

    takes: Taken
    rows: tuple[CoveredRows, ...] = ()
    words: tuple[int, ...] = ()
    """Positions in the target, `<s>` is 0. The rows that write such a word are hidden too."""

    @property
    def hides(self) -> bool:
        """Whether anything is hidden."""
        return bool(self.rows or self.words)


def uncovered(cover: Redaction) -> Redaction:
    """Return a cover that hides nothing, but shows a run as the question did."""
    return Redaction(cover.takes)


def covered(view: View, cover: Redaction) -> View:
    """Return a view whose parcel has nothing of what is hidden: another run, for the browser."""
    return view._replace(parcel=cover_parcel(view.parcel, cover))


def cover_parcel(parcel: Payload, cover: Redaction) -> Payload:
    """Take out of a packed run what is hidden, and the gold alignment, which tells it too."""
    meta: dict[str, Any] = parcel.data["meta"]
    key = run_key(parcel.key, *cover)
    codes = parcel.data["codes"]["code"].to_numpy().copy()
    for kind, stack in meta["kinds"].items():
        _cover_stack(codes, stack, _hidden_rows(kind, stack, cover))
    by_readers = cover.takes == "query"
    if by_readers:
        meta = {**meta, **_named_by_readers(meta)}
    hidden = {
        "run": key,
        "tokens": dict(meta["tokens"]) | {"target": _hidden_words(meta, cover)},
        "gold": None,
        "tensors": None,
        "told": None,
    }
    data: dict[str, Any] = {"meta": {**meta, **hidden}, "codes": pa.table({"code": codes})}
    return parcel._replace(key=key, gold=None, data=data, by_readers=by_readers)


def _named_by_readers(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Name the decoder's rows after the token that reads in them, which a question asks for."""
    kinds = dict(meta["kinds"])
    for kind, stack in kinds.items():
        if stack["queries"][0] == "target":
            kinds[kind] = {**stack, "queries": ("target", 0)}
    return {"kinds": kinds}


def _hidden_words(meta: Mapping[str, Any], cover: Redaction) -> tuple[str, ...]:
    target = meta["tokens"]["target"]
    return tuple(COVERED_TOKEN if i in cover.words else token for i, token in enumerate(target))


def _hidden_rows(kind: AttentionKind, stack: WireStack, cover: Redaction) -> list[int]:
    """List the rows of a kind of which no weight is given."""
    named = [rows for asked, rows in cover.rows if asked == kind]
    if () in named:
        return [*range(stack["rows"])]
    found = {row for rows in named for row in rows}
    text, first = stack["queries"]
    if text == "target":
        found |= {position - first for position in cover.words}
    return sorted(row for row in found if 0 <= row < stack["rows"])


def _cover_stack(codes: UInt16[np.ndarray, " size"], stack: WireStack, rows: list[int]) -> None:
    """Cover rows of every head; of a matrix that is sent reduced, all of it."""
    drawn_rows, drawn_columns = stack["drawn"]
    shape = (stack["layers"] * stack["heads"], drawn_rows, drawn_columns)
    size = shape[0] * shape[1] * shape[2]
    part = codes[stack["offset"] : stack["offset"] + size].reshape(shape)
    if not rows:
        return
    is_whole = stack["drawn"] == [stack["rows"], stack["columns"]]
    part[:, rows if is_whole else slice(None)] = CODE_COVERED
