"""The data of positions that the browser gets, by name."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from model.config import Positions


class WireNumber(TypedDict):
    """One number of an encoding: in a picture the chosen one, to Python the clicked one."""

    position: int
    dimension: int


class WirePositionMap(TypedDict):
    """A number for each position and column, row after row."""

    kind: Literal["encoding", "angles"]
    """The added numbers, or the degrees by which pairs are turned."""
    rows: int
    columns: int
    words: Sequence[str]
    """The words of the text; its rows, from the first position on, are framed and named."""
    picked: WireNumber | None
    """The framed number."""
    chooses: bool
    """Whether a click chooses a number."""


class WireWaves(TypedDict):
    """Some dimensions over the positions; their values are sent position after position."""

    kind: Positions
    size: int
    """How many dimensions the encoding has."""
    rows: int
    dimensions: Sequence[int]
    words: Sequence[str]
    picked: WireNumber
