"""The meaning of each point of a picture, and the look of its group."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from texts import say_of
from viz.pictures.axes import literal
from viz.pictures.theme import DARK, LIGHT, Palette
from viz.subjects.embeddings.groups import CLASSES, KINDS, SPECIAL

_LIGHT_COLOURS = (
    "#0068a8",
    "#c44e00",
    "#7a5230",
    "#007a57",
    "#a8388f",
    "#b08500",
    "#70737d",
)
_DARK_COLOURS = (
    "#6cb8f0",
    "#ff9a5c",
    "#d0a888",
    "#5fd1a7",
    "#f08fd0",
    "#e8c75a",
    "#a2a7b5",
)
"""The marker of each group of a picture."""


class Look(NamedTuple):
    """The look of the points of one group."""

    colour: str
    symbol: str


@dataclass(frozen=True, eq=False)
class Marks:
    """The tokens that the points represent."""

    tokens: Sequence[str]
    groups: Sequence[str]
    """The group of each token, by its key."""

    @property
    def names(self) -> tuple[str, ...]:
        """The groups that occur, in the order of the legend."""
        return tuple(name for name in _LEGEND if name in self.groups)

    def hover(self, index: int, *more: str) -> str:
        """Describe a point."""
        lines = [f"<b>{literal(self.tokens[index])}</b>", title(self.groups[index]), *more]
        return "<br>".join(lines)


_LEGEND = (*CLASSES, *KINDS, SPECIAL)


def title(group: str) -> str:
    """Name a group."""
    return say_of("embeddings.group", group)


def look(group: str, palette: Palette) -> Look:
    """Return how a group looks, the same in all pictures; special tokens are hollow and grey."""
    if group == SPECIAL:
        return Look(palette.soft, "circle-open")
    colours = _DARK_COLOURS if palette is DARK else _LIGHT_COLOURS
    place = (CLASSES if group in CLASSES else KINDS).index(group)
    return Look(colours[place], "circle")


def looks(groups: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the colours of groups on a light page and on a dark one, in the legend's order."""
    there = set(groups)
    shown = [name for name in _LEGEND if name in there]
    return {name: (look(name, LIGHT).colour, look(name, DARK).colour) for name in shown}
