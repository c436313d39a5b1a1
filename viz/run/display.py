"""How the heads are shown on the page of attention: what a link says of it beside the selection."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Literal, get_args

from model.text.normalised import printable

Shows = Literal["head", "mean", "maximum"]
_SHOWS: tuple[Shows, ...] = get_args(Shows)


@dataclass(frozen=True)
class Display:
    """Choices of the browser's pictures that Python only keeps."""

    shows: Shows = "head"
    """The selected head, or a mean or maximum over the heads of its layer."""
    lines: int = 90
    """Percent of each row's weight that the lines show."""
    gold: bool = False
    """Whether the gold alignment is drawn over the weights."""
    order: str = "place"
    """What the thumbnails are sorted by; a measure that there is none of sorts by place."""

    def to_dict(self) -> dict[str, str | int | bool]:
        """Plain values by name."""
        return asdict(self)

    def changed(self) -> dict[str, str | None]:
        """Return what a link has to say: text by name, None for what is as usual."""
        usual = Display().to_dict()
        return {
            name: None if value == usual[name] else "true" if value is True else str(value)
            for name, value in self.to_dict().items()
        }


NAMES = tuple(field.name for field in fields(Display))
LONGEST_ORDER = 40


def read_display(asked: Mapping[str, object]) -> Display:
    """Read values or their text by name; what cannot be is as usual."""
    usual = Display()
    lines = str(asked.get("lines", usual.lines))[:3]
    return Display(
        shows=_shows(asked.get("shows")) or usual.shows,
        lines=max(50, min(int(lines), 100)) if lines.isdecimal() else usual.lines,
        gold=_is_true(asked.get("gold")),
        order=printable(str(asked.get("order", usual.order))[:LONGEST_ORDER]),
    )


def _shows(wanted: object) -> Shows | None:
    for shows in _SHOWS:
        if shows == wanted:
            return shows
    return None


def _is_true(value: object) -> bool:
    return str(value).lower() == "true"
