"""Ablations and patched cells in the form that the browser receives."""

from typing import Literal, TypedDict

from viz.run.axes import AttentionKind

Fate = Literal["same", "new", "gone"]


class WireCut(TypedDict):
    """One part of the model, and the effect of cutting it."""

    stack: str
    layer: int
    sublayer: str
    kind: AttentionKind | None
    """None if it is not an attention."""
    head: int | None
    """None for the whole sublayer."""
    name: str
    damage: float
    """From 0 for none to 1 for all; negative if something is better without it."""
    short: str
    """The damage in a tile."""
    said: str
    """The damage in words."""
    changed: bool
    """Whether another text is written."""
    stretches: list[tuple[Fate, str]]
    """The resulting text, with the changed words marked."""


class WireCuts(TypedDict):
    """Every part, in the order of the model."""

    of: str
    """The key of the run; for another key, another part is in view."""
    cuts: list[WireCut]
    chosen: int
    """The one in view."""


class WireGrid(TypedDict):
    """Cells of one tensor or stage by positions; its numbers begin at `offset`."""

    title: str
    rows: list[str]
    columns: list[str]
    offset: int


class WireGrids(TypedDict):
    """The grids side by side under a heading."""

    heading: str
    note: str
    grids: list[WireGrid]


class WirePatching(TypedDict):
    """All patched cells of two sentences."""

    groups: list[WireGrids]
    answer: str
    other: str
    most: float | None
    """The change of a number that 1 represents, if cells have no shares; None if they do."""
    keeps: bool
    """Whether a cell can be put into the run."""
