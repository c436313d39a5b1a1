"""The comparison of two runs in the form that the browser receives."""

from typing import TypedDict

from viz.run.axes import AttentionKind


class WireKindChange(TypedDict):
    """One kind of attention: pairs of rows and columns, and the change of each layer and head."""

    rows: list[tuple[int | None, int | None]]
    columns: list[tuple[int | None, int | None]]
    match: list[list[int | None]]
    moved: list[list[list[float | None]]]


class WireMoved(TypedDict):
    """A head, the index of its row that moved most, and the share of weight that moved."""

    kind: AttentionKind
    layer: int
    head: int
    place: int
    moved: float
    """The share of that row, or of all rows if heads are paired by similarity."""


class WireComparison(TypedDict):
    """The changes of every head in the second run; the runs themselves have the weights."""

    runs: tuple[str, str]
    kinds: dict[AttentionKind, WireKindChange]
    heads: list[WireMoved]
    matched: bool
