"""What is sent of positions, by name."""

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
    """What the numbers are: those that are added, or by how many degrees a pair is turned."""
    rows: int
    columns: int
    words: Sequence[str]
    """Of the text, whose rows are framed and named, from the first position on."""
    picked: WireNumber | None
    """The number that is framed."""
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
