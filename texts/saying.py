"""Returns a text by its key, with values in the form of its language."""

import functools
import json
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any

from texts.spoken import FOLDER, LANGUAGES, Language, language

Text = str | Mapping[str, str]
"""The text of a key; if it depends on a `count`, its forms for one and for others."""

_MARKS = {".": "language.decimal", ",": "language.thousands", "%": "language.percent"}
"""The texts by which a language writes the signs of a number that Python has formatted."""


def say(key: str, /, **values: object) -> str:
    """Return the text of a key in the reader's language.

    Args:
        key: An area of the interface and a name in it: "decoding.undo".
        values: The values of its placeholders. A number with a format, as in `{share:.1%}`, is
            written in the form of the language; a text is inserted unchanged. If the text has
            two forms, `count` chooses one.

    Raises:
        KeyError: If there is no such key, or if a value is missing.
    """
    spoken = language()
    text = _texts(spoken)[key]
    if not isinstance(text, str):
        text = text[_form(values["count"], spoken)]
    return _formatter(spoken).vformat(text, (), values) if values else text


def say_in(texts: Mapping[Language, str], /, **values: object) -> str:
    """Return a text without a key, in the reader's language if possible, else in English.

    Args:
        texts: The text in each language, at least in English.
        values: The values of its placeholders, as in `say`.
    """
    spoken = language() if language() in texts else LANGUAGES[0]
    return _formatter(spoken).vformat(texts[spoken], (), values)


def say_of(family: str, name: str, /, **values: object) -> str:
    """Return the text of one of a family of keys: "decoding.basis" and "beam" form one key."""
    return say(f"{family}.{name}", **values)


def listed(parts: Sequence[str], between: str = "and") -> str:
    """Write a list in words: "a, b and c"; `between` is "and" or "or"."""
    *first, last = parts
    return say_of("list", between, first=", ".join(first), last=last) if first else last


def named(family: str, name: str) -> str | None:
    """Return the text of one of a family; None if the family has no such name."""
    return say(key) if (key := f"{family}.{name}") in _texts(language()) else None


def written(number: str) -> str:
    """Write a number in the reader's language, from the digits that Python has written."""
    return number.translate(_marks(language()))


def language_name(language: Language) -> str:
    """Return the name of a language in that language."""
    return str(_texts(language)["language.name"])


def all_texts(language: Language) -> Mapping[str, Text]:
    """Return every text of a language by its key."""
    return _texts(language)


@functools.cache
def _texts(language: Language) -> Mapping[str, Text]:
    areas = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    own = {f"{area}.{name}": text for area, of in areas.items() for name, text in of.items()}
    return own if language == LANGUAGES[0] else {**_texts(LANGUAGES[0]), **own}


def _form(count: object, language: Language) -> str:
    """Return the form for a count; in some languages 0 and fractions take the singular."""
    assert isinstance(count, int | float), f"a count is a number, got {count!r}"
    below_two = _texts(language)["language.singular"] == "below 2"
    return "one" if (abs(count) < 2 if below_two else count == 1) else "other"


@functools.cache
def _marks(language: Language) -> dict[int, str]:
    texts = _texts(language)
    return str.maketrans({sign: str(texts[key]) for sign, key in _MARKS.items()})


class _Formatter(Formatter):
    """Inserts values into a text, with numbers in the form of the language."""

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
        """Let a text leave out a value, because its other form may need it."""


@functools.cache
def _formatter(language: Language) -> _Formatter:
    return _Formatter(_marks(language))
