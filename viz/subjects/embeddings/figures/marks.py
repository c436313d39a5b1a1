"""What each point of a picture stands for, and how its group looks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from texts import say
from viz.pictures.axes import literal
from viz.pictures.theme import DARK, Palette

_LIGHT_COLOURS = (
    "#0068a8",
    "#c44e00",
    "#007a57",
    "#a8388f",
    "#b08500",
    "#3fa0d8",
    "#6b4fc0",
    "#7a5230",
)
_DARK_COLOURS = (
    "#6cb8f0",
    "#ff9a5c",
    "#5fd1a7",
    "#f08fd0",
    "#e8c75a",
    "#a8dcff",
    "#b7a4ff",
    "#d0a888",
)
_SYMBOLS = ("circle", "diamond", "square", "cross", "x")
"""Where there are more groups than colours, the second round of colours has the second symbol."""


class Look(NamedTuple):
    """Of the points of one group."""

    colour: str
    symbol: str


@dataclass(frozen=True, eq=False)
class Marks:
    """The tokens that points stand for."""

    tokens: Sequence[str]
    ids: Sequence[int]
    groups: Sequence[str]
    """Group of each token."""
    names: Sequence[str]
    """Of the groups, in the order of the legend."""

    def hover(self, index: int, norm: float, *more: str) -> str:
        """Describe a point."""
        lines = [
            f"<b>{literal(self.tokens[index])}</b>",
            say("embeddings.id", id=int(self.ids[index])),
            literal(self.groups[index]),
            say("embeddings.norm", norm=norm),
            *more,
        ]
        return "<br>".join(lines)

    def looks(self, palette: Palette) -> dict[str, Look]:
        """Assign each group its look; special tokens are hollow and grey."""
        special = say("embeddings.group.special")
        names = [name for name in self.names if name != special]
        found = {special: Look(palette.soft, "circle-open")}
        colours = _DARK_COLOURS if palette is DARK else _LIGHT_COLOURS
        for i, name in enumerate(names):
            symbol = _SYMBOLS[i // len(colours) % len(_SYMBOLS)]
            found[name] = Look(colours[i % len(colours)], symbol)
        return found
