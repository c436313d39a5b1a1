"""What is sent of cuts and of patched cells."""

from typing import Literal, TypedDict

from viz.run.axes import AttentionKind

Fate = Literal["same", "new", "gone"]


class WireCut(TypedDict):
    """One part of the model, and what is lost without it."""

    stack: str
    layer: int
    sublayer: str
    kind: AttentionKind | None
    """None where it is no attention."""
    head: int | None
    """None for the whole sublayer."""
    name: str
    damage: float
    """From 0 for none to 1 for all; less than 0 where something is better without it."""
    short: str
    """The damage in a tile."""
    said: str
    """The damage in words."""
    changed: bool
    """Whether something else is written."""
    stretches: list[tuple[Fate, str]]
    """What is written then, told apart from what was."""


class WireCuts(TypedDict):
    """Every part, in the order of the model."""

    of: str
    """Key of what was cut: of another one, another part is in view."""
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
    """The grids that stand side by side, under a heading."""

    heading: str
    note: str
    grids: list[WireGrid]


class WirePatching(TypedDict):
    """All patched cells of two sentences."""

    groups: list[WireGrids]
    answer: str
    other: str
    most: float | None
    """What 1 stands for, where cells have no share but a change of a number; None of shares."""
    keeps: bool
    """Whether a cell can be put into the run."""
