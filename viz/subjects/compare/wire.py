"""What is sent of two runs beside each other, by name."""

from typing import Literal, TypedDict

from viz.run.record import AttentionKind


class WireKindChange(TypedDict):
    """One kind of attention: rows and columns in pairs, and by layer and head what moved."""

    rows: list[tuple[int | None, int | None]]
    columns: list[tuple[int | None, int | None]]
    match: list[list[int | None]]
    bits: list[list[list[float | None]]]
    moved: list[list[list[float | None]]]


class WireComparison(TypedDict):
    """What every head does otherwise in the second run; the weights are in the runs themselves."""

    runs: tuple[str, str]
    kinds: dict[AttentionKind, WireKindChange]
    matched: bool
    order: Literal["row", "mean", "place"]
