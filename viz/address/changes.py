"""Changes of a run in a link: interventions as text, each on or off."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote, unquote

from model.files.json_fields import shorten
from model.interventions.kinds import Intervention
from texts import say

MOST_CHANGES = 24
LONGEST_LINK = 6_000
"""Most characters of all changes together: a browser's address holds little more."""

_LISTS = ("rows", "columns", "values", "origin_rows")
_LETTERS = {
    "head": "h",
    "rows": "r",
    "columns": "c",
    "amount": "a",
    "values": "v",
    "origin": "o",
    "origin_rows": "q",
    "origin_head": "g",
}
_NAMES = {letter: name for name, letter in _LETTERS.items()}
_OF_TEXTS = "mst"
"""Letters of the model, source and target to which the positions in a change refer."""
_USUAL = {field.name: field.default for field in fields(Intervention)}


@dataclass(frozen=True)
class Change:
    """An intervention in a list of changes."""

    intervention: Intervention
    is_on: bool = True
    made_for: tuple[str, str, str] | None = None
    """Checkpoint, source and target to which its positions refer; None if it has no positions."""

    @property
    def place(self) -> tuple[object, ...]:
        """Its target and its texts: a second change with the same place replaces the first."""
        return *self.intervention.place, self.made_for

    def applies(self, checkpoint: str, source: str, target: str) -> bool:
        """Return whether it has a meaning in a run of these inputs."""
        return self.made_for is None or self.made_for == (checkpoint, source, target)


def write_changes(changes: Iterable[Change], texts: tuple[str, str, str] | None = None) -> str:
    """Write changes as in a link: `zero!encoder.layers.0.self_attn.heads;h3~...`.

    A change names the texts that it was made for, unless they are those of the link.
    """
    return "~".join(("" if c.is_on else "-") + _write(c, texts) for c in changes)


def read_changes(text: str, checkpoint: str, source: str, target: str) -> tuple[Change, ...]:
    """Read the text of `write_changes`. Raises ValueError, in words for people, on any other."""
    parts = text.split("~") if text else []
    if len(parts) > MOST_CHANGES:
        raise ValueError(say("change.link_many", count=len(parts), most=MOST_CHANGES))
    if len(text) > LONGEST_LINK:
        raise ValueError(say("change.link_long", count=len(text), most=LONGEST_LINK))
    return tuple(_read(part, (checkpoint, source, target)) for part in parts)


def change_for(
    intervention: Intervention, checkpoint: str, source: str, target: str, is_on: bool = True
) -> Change:
    """Make a change from an intervention, bound to these texts if it names positions."""
    made_for = (checkpoint, source, target) if intervention.anchored else None
    return Change(intervention, is_on, made_for)


def _write(change: Change, texts: tuple[str, str, str] | None) -> str:
    intervention = change.intervention
    parts = [f"{intervention.kind}!{intervention.name}"]
    for name, letter in _LETTERS.items():
        value = getattr(intervention, name)
        if value != _USUAL[name]:
            parts.append(f"{letter}{_write_value(name, value)}")
    here = texts or (None, None, None)
    for letter, text, of_link in zip(_OF_TEXTS, change.made_for or here, here, strict=True):
        if text is not None and text != of_link:
            parts.append(f"{letter}{_quote(text)}")
    return ";".join(parts)


def _quote(text: str) -> str:
    return quote(text, safe=" ").replace("~", "%7E")


def _write_value(name: str, value: Any) -> str:  # noqa: ANN401 - text, a number or a list of them
    if name == "origin":
        return _quote(value)
    numbers: Sequence[float] = value if isinstance(value, tuple) else (value,)
    return "_".join(repr(number).removesuffix(".0") for number in numbers)


def _read(text: str, texts: tuple[str, str, str]) -> Change:
    first, *rest = text.removeprefix("-").split(";")
    kind, _, name = first.partition("!")
    given: dict[str, Any] = {}
    of = dict(zip(_OF_TEXTS, texts, strict=True))
    for part in rest:
        if part[:1] in of:
            of[part[:1]] = unquote(part[1:])
            continue
        field = _NAMES.get(part[:1])
        if field is None:
            raise ValueError(say("change.link_part", text=shorten(part)))
        given[field] = _read_value(field, part[1:])
    intervention = Intervention(kind, name, **given)
    return change_for(intervention, *of.values(), is_on=not text.startswith("-"))


def _read_value(field: str, text: str) -> Any:  # noqa: ANN401 - text, a number or a list of them
    if field == "origin":
        return unquote(text)
    if field in ("amount", "values"):
        numbers = [_number(part) for part in text.split("_")]
        return tuple(numbers) if field == "values" else numbers[0]
    positions = tuple(_position(part) for part in text.split("_"))
    return positions if field in _LISTS else positions[0]


def _position(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", text):
        raise ValueError(say("change.link_part", text=shorten(text)))
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(say("change.link_part", text=shorten(text))) from None
