"""Says a text by its key, with values put in as its language writes them."""

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from texts.spoken import Language, language

Text = str | Mapping[str, str]
"""What a key says; where it depends on a `count`, what it says of one and of others."""

FOLDER = Path(__file__).parent
_NARROW, _FIXED = "\u202f", "\u00a0"
_MARKS: Mapping[Language, dict[int, str]] = {
    "en": {},
    "fr": str.maketrans({".": ",", ",": _NARROW, "%": f"{_FIXED}%"}),
}
"""How the signs of a number that Python has written are written in a language."""


def say(key: str, /, **values: object) -> str:
    """Give what a key says in the language of the reader.

    Args:
        key: An area of the interface and a name in it: "decoding.undo".
        values: What stands in its braces. A number with a format there, as in `{share:.1%}`, is
            written as the language does; a text is put in as it is. Of a text that has two forms
            `count` chooses one.

    Raises:
        KeyError: for a key or a value that is not there.
    """
    spoken = language()
    text = _texts(spoken)[key]
    if not isinstance(text, str):
        text = text[_form(values["count"], spoken)]
    return _FORMATTERS[spoken].vformat(text, (), values) if values else text


def say_of(family: str, name: str, /, **values: object) -> str:
    """Give what one of a family of keys says: "decoding.basis" and "beam" are one key."""
    return say(f"{family}.{name}", **values)


def listed(parts: Sequence[str], between: str = "and") -> str:
    """Write a list in words: "a, b and c"; `between` is "and" or "or"."""
    *first, last = parts
    return say_of("list", between, first=", ".join(first), last=last) if first else last


def named(family: str, name: str) -> str | None:
    """Give what one of a family says; None where it has none of this name."""
    return say(key) if (key := f"{family}.{name}") in _texts(language()) else None


def written(number: str) -> str:
    """Write a number as the language of the reader does, whose digits Python has written."""
    return number.translate(_MARKS[language()])


def all_texts(language: Language) -> Mapping[str, Text]:
    """Give every text of a language by its key."""
    return _texts(language)


@functools.cache
def _texts(language: Language) -> Mapping[str, Text]:
    areas = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return {f"{area}.{name}": text for area, of in areas.items() for name, text in of.items()}


def _form(count: object, language: Language) -> str:
    """Say which form a count takes: French has the singular for nothing and for a part, too."""
    assert isinstance(count, int | float), f"a count is a number, got {count!r}"
    is_one = abs(count) < 2 if language == "fr" else count == 1
    return "one" if is_one else "other"


class _Formatter(Formatter):
    """Puts values into a text; numbers as the language writes them."""

    def __init__(self, marks: dict[int, str]) -> None:
        self._marks = marks

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 - as Python's own
        """Write one value."""
        found = super().format_field(value, format_spec)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return found.translate(self._marks) if is_number else found

    def check_unused_args(
        self, used_args: set[int | str], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        """Let a text leave a value out: its other form may need it."""


_FORMATTERS = {spoken: _Formatter(marks) for spoken, marks in _MARKS.items()}
