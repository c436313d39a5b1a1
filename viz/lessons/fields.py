"""Reads the fields of an untrusted table one by one, and notes every fault."""

import math
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from model.files.json_fields import shorten
from texts import LANGUAGES
from viz.lessons.faults import Fault, Told, nearest, told, too_many
from viz.lessons.lesson import MOST_WORDS, NO_TEXT, Text

_LONGEST_TEXT = 600
_LONGEST_LIST = 120
"""Characters of listed names; for a longer list, the nearest name alone is shown."""
_TYPES = {str: "text", bool: "truth", int: "number", float: "number", list: "list", dict: "table"}

_PART = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"
_PATH = re.compile(rf"{_PART}(/{_PART})*")
Name = TypeVar("Name", bound=str)


class Fields:
    """A table whose fields are taken by name; fields that are left at the end are faults."""

    def __init__(self, values: object, place: str, faults: list[Fault]) -> None:
        self._place, self._faults = place, faults
        self._taken: set[str] = set()
        self._values: Mapping[str, object] = {}
        if isinstance(values, dict):
            self._values = values
        else:
            self.fault("not_type", wanted=told("type.table"), got=_type(values))

    def fault(self, says: str, at: str = "", /, near: str = "", **values: object) -> None:
        """Note a fault of a field, or of the table, by the key of its message."""
        self.note(told(says, near, **values), at)

    def most(self, unit: str, most: int, count: int, at: str = "") -> None:
        """Note that a limit is exceeded."""
        self.note(too_many(unit, most, count), at)

    def note(self, says: Told, at: str = "") -> None:
        """Note a fault of a field."""
        self._faults.append(Fault(".".join(filter(None, (self._place, at))), says))

    def has(self, name: str) -> bool:
        """Return whether the table has a field."""
        return name in self._values

    def has_in(self, table: str, name: str) -> bool:
        """Return whether a table inside this one has a field."""
        inner = self._values.get(table)
        return isinstance(inner, dict) and name in inner

    def inner(self, name: str) -> "Fields":
        """Take a table; an empty one if the field is missing."""
        value = self._take(name, needed=False)
        return Fields(
            {} if value is None else value, f"{self._place}.{name}".strip("."), self._faults
        )

    def names(self) -> tuple[str, ...]:
        """Return the names of all fields, for a table whose file chooses the names."""
        return tuple(self._values)

    def tables(self, name: str, place: str, most: int) -> list["Fields"]:
        """Take a list of tables, each named by its number from 1."""
        found = self._list(name, most)
        return [Fields(value, f"{place} {n}", self._faults) for n, value in enumerate(found, 1)]

    def line(self, name: str, longest: int, *, needed: bool = False) -> str:
        """Take a short text."""
        value = self._take(name, needed=needed)
        return self._checked_line(value, name, longest) if value is not None else ""

    def path(self, name: str, longest: int, *, needed: bool = False) -> str:
        """Take the name of a checkpoint, which cannot lead out of the folder."""
        found = self.line(name, longest, needed=needed)
        self.check_paths(name, (found,))
        return found

    def check_paths(self, name: str, found: Sequence[str]) -> None:
        """Note each text that is not a valid name of a checkpoint."""
        for one in found:
            if one and not _PATH.fullmatch(one):
                self.fault("path", name, name=shorten(one))

    def lines(self, name: str, most: int, longest: int) -> tuple[str, ...]:
        """Take a list of short texts."""
        return tuple(self._checked_line(value, name, longest) for value in self._list(name, most))

    def one_of(self, name: str, known: Sequence[Name], *, needed: bool = False) -> Name | None:
        """Take a name from a closed list."""
        value = self._take(name, needed=needed)
        return None if value is None else self._known(value, name, known)

    def some_of(self, name: str, known: Sequence[Name]) -> tuple[Name, ...]:
        """Take different names from a closed list."""
        found = [self._known(value, name, known) for value in self._list(name, len(known))]
        if len(set(found)) < len(found):
            self.fault("twice", name)
        return tuple(value for value in found if value is not None)

    def number(
        self, name: str, low: float, high: float, usual: float | None = None
    ) -> float | None:
        """Take a number within bounds."""
        value = self._take(name, needed=False)
        found = None if value is None else self._checked_number(value, name, low, high)
        return usual if found is None else found

    def numbers(self, name: str, most: int, low: float, high: float) -> tuple[float, ...]:
        """Take a list of numbers within bounds."""
        each = enumerate(self._list(name, most), 1)
        found = [self._checked_number(value, f"{name} {n}", low, high) for n, value in each]
        return tuple(value for value in found if value is not None)

    def whole(self, name: str, low: int, high: int, usual: int) -> int:
        """Take a whole number within bounds."""
        value = self.number(name, float(low), float(high), float(usual))
        if value is None or value != int(value):
            self.fault("not_type", name, wanted=told("type.whole"), got=told("number", value=value))
            return usual
        return int(value)

    def text(self, name: str, *, needed: bool = False) -> Text:
        """Take a text in each language."""
        value = self._take(name, needed=needed)
        return NO_TEXT if value is None else self._text(value, name)

    def texts(self, name: str, most: int) -> tuple[Text, ...]:
        """Take a list of texts, each in every language."""
        found = self._list(name, most)
        return tuple(self._text(value, f"{name} {n}") for n, value in enumerate(found, 1))

    def end(self, known: Collection[str] = (), *, taken: Collection[str] = ()) -> None:
        """Note every field that was not taken.

        Args:
            known: More names that may have been meant, besides those that were taken.
            taken: Names that are allowed although nothing takes them.
        """
        for name in self._values:
            if name not in self._taken and name not in taken:
                close = nearest(name, sorted({*self._taken, *known}))
                self.fault("field", near=close, name=shorten(name))

    def _take(self, name: str, *, needed: bool) -> object:
        self._taken.add(name)
        if name not in self._values and needed:
            self.fault("missing", name=name)
        return self._values.get(name)

    def _list(self, name: str, most: int) -> list[object]:
        value = self._take(name, needed=False)
        if value is None:
            return []
        if not isinstance(value, list):
            self.fault("not_type", name, wanted=told("type.list"), got=_type(value))
            return []
        if len(value) > most:
            self.most("entries", most, len(value), name)
        return value[:most]

    def _checked_number(self, value: object, name: str, low: float, high: float) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fault("not_type", name, wanted=told("type.number"), got=_type(value))
        elif not low <= value <= high or math.isnan(value):
            self.fault("range", name, low=low, high=high, got=_shown(value))
        else:
            return float(value)
        return None

    def _checked_line(self, value: object, name: str, longest: int) -> str:
        if not isinstance(value, str):
            self.fault("not_type", name, wanted=told("type.text"), got=_type(value))
        elif len(value) > longest:
            self.most("characters", longest, len(value), name)
        elif hidden := _hidden(value):
            self.fault("hidden", name, sign=hidden)
        else:
            return value
        return ""

    def _known(self, value: object, name: str, known: Sequence[Name]) -> Name | None:
        found = next((one for one in known if one == value), None)
        if found is None:
            is_text = isinstance(value, str)
            given = told("quoted", text=shorten(value)) if is_text else _type(value)
            close = nearest(value, known) if is_text else ""
            listed = ", ".join(known)
            if close and len(listed) > _LONGEST_LIST:
                self.fault("none_of", name, near=close, given=given)
            else:
                self.fault("one_of", name, near=close, known=listed, given=given)
        return found

    def _text(self, value: object, name: str) -> Text:
        if not isinstance(value, dict):
            self.fault("not_type", name, wanted=told("type.texts"), got=_type(value))
            return NO_TEXT
        for language in value:
            if language not in LANGUAGES:
                close = nearest(language, LANGUAGES)
                self.fault("no_language", name, near=close, name=shorten(language))
        if LANGUAGES[0] not in value:
            self.fault("language", name, name=LANGUAGES[0])
        said = {one: self._said(value.get(one), f"{name}.{one}") for one in LANGUAGES}
        return Text(said)

    def _said(self, value: object, name: str) -> str:
        if value is None:
            return ""
        said = self._checked_line(value, name, _LONGEST_TEXT)
        count = sum(any(sign.isalnum() for sign in word) for word in said.split())
        if count > MOST_WORDS:
            self.most("words", MOST_WORDS, count, name)
        elif isinstance(value, str) and not value.strip():
            self.fault("empty", name)
        return said


def _hidden(text: str) -> str | None:
    """Name the first invisible character, such as one that changes the writing direction."""
    bad = (c for c in text if unicodedata.category(c)[0] == "C")
    return next((f"U+{ord(c):04X}" for c in bad), None)


def _type(value: object) -> Told:
    return told(f"type.{_TYPES.get(type(value), 'date')}")


def _shown(value: int | float) -> Told:
    try:
        return told("number", value=float(value))
    except OverflowError:
        return told("larger")
