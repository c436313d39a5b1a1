"""Values of fields: read from a link, kept if the field still allows them, written as text."""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NamedTuple

from texts import LANGUAGES, speaking

Value = Any
"""The value of a field: a text, a number, a choice or several."""
Says = Callable[[Value], str]
"""The words for an option."""
_LONGEST_NUMBER = 40
_NOTHING = [""]
"""The value in a link of a field for several options if none is chosen."""


class Field(NamedTuple):
    """The usual value of a field, and its possible ones."""

    usual: Value
    options: list[Value] | None
    within: tuple[Value, Value] | None


def fitting(value: Value, there: Field) -> Value:
    """Return the old value if the field allows it, else the nearest number or the usual value."""
    usual, options, within = there
    if options is not None:
        chosen = value if isinstance(usual, list) else [value]
        return value if all(one in options for one in chosen) else usual
    if within is None:
        return value if isinstance(value, type(usual)) else usual
    return None if value is None else max(within[0], min(value, within[1]))


def read(texts: Sequence[str], there: Field, says: Says | None) -> Value:
    """Read the value of a field from a link; return the usual one if it cannot be read."""
    usual, options, within = there
    if options is not None:
        chosen = [one for one in options if is_among(texts, one, says)]
        if isinstance(usual, list):
            return chosen if chosen or texts == _NOTHING else usual
        return chosen[0] if chosen else usual
    if within is not None:
        return _number(texts[-1], usual, *within)
    if isinstance(usual, bool):
        return {"true": True, "false": False}.get(texts[-1].lower(), usual)
    return texts[-1]


def _number(text: str, usual: Value, least: Value, most: Value) -> Value:
    try:
        number = float(text[:_LONGEST_NUMBER])
    except ValueError:
        return usual
    return max(least, min(type(least)(number), most)) if isfinite(number) else usual


def is_among(texts: Sequence[str], option: Value, says: Says | None) -> bool:
    """Return whether a link names an option, by its value or by its words in any language."""
    if str(option) in texts:
        return True
    for each in LANGUAGES if says else ():
        with speaking(each):
            if says and says(option) in texts:
                return True
    return False


def written_value(value: Value) -> list[str]:
    """Write the value of a field as in a link."""
    match value:
        case bool():
            return [str(value).lower()]
        case [*chosen]:
            return [str(one) for one in chosen] or _NOTHING
        case float() if value.is_integer():
            return [str(int(value))]
        case _:
            return [str(value)]
