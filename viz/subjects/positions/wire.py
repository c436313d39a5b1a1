"""The data of positions in the form that the browser receives."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from model.config import Positions


class WireNumber(TypedDict):
    """One number of an encoding: the selected one for a picture, the clicked one for Python."""

    position: int
    dimension: int


class WirePositionMap(TypedDict):
    """A number for each position and column, row after row."""

    kind: Literal["encoding", "angles"]
    """The added numbers, or the degrees by which pairs are rotated."""
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
    """The number of dimensions of the encoding."""
    rows: int
    dimensions: Sequence[int]
    words: Sequence[str]
    picked: WireNumber
