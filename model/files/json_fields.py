"""Checks values read from JSON, before anything is built from them."""

from collections.abc import Mapping
from typing import Any

from model.files.plain_text import plain

_NAMES = {
    bool: "true or false",
    int: "a whole number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def check_fields(values: object, types: Mapping[str, type], *, where: str) -> dict[str, Any]:
    """Return `values`. Raises ValueError unless it has exactly these fields, of these types."""
    if not isinstance(values, dict):
        raise ValueError(f"{where} must be an object, got {shorten(values)}")  # noqa: TRY004
    if missing := sorted(types.keys() - values.keys()):
        raise ValueError(f"{where} needs {', '.join(missing)}")
    if unknown := sorted(values.keys() - types.keys()):
        raise ValueError(f"{where} has no {shorten(', '.join(unknown))}")
    for name, wanted in types.items():
        if type(values[name]) is not wanted:
            raise ValueError(
                f"{name} of {where} must be {_NAMES[wanted]}, got {shorten(values[name])}"
            )
    return values


def shorten(value: object) -> str:
    """Shorten a value for an error message; write invisible characters as code points."""
    shown = value if isinstance(value, str) else repr(value)
    return plain(shown if len(shown) <= 80 else f"{shown[:77]}...")
