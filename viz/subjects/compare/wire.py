"""What is sent of two runs beside each other, by name."""

from typing import TypedDict

from viz.run.axes import AttentionKind


class WireKindChange(TypedDict):
    """One kind of attention: rows and columns in pairs, and by layer and head what moved."""

    rows: list[tuple[int | None, int | None]]
    columns: list[tuple[int | None, int | None]]
    match: list[list[int | None]]
    moved: list[list[list[float | None]]]


class WireMoved(TypedDict):
    """A head, the place of the row of it that moved most, and the share that lies elsewhere."""

    kind: AttentionKind
    layer: int
    head: int
    place: int
    moved: float
    """Of that row; of all rows where heads are paired by where they look."""


class WireComparison(TypedDict):
    """What every head does otherwise in the second run; the weights are in the runs themselves."""

    runs: tuple[str, str]
    kinds: dict[AttentionKind, WireKindChange]
    heads: list[WireMoved]
    matched: bool
