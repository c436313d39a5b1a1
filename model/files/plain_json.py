"""Reads untrusted JSON: an object of limited depth, or an error with the reason."""

import json
from typing import Any, NoReturn

from model.files.json_fields import shorten

MOST_NESTED = 30
"""The largest nesting depth: more than any file needs, and safe for recursion."""


def read_object(data: bytes, *, where: str) -> dict[str, Any]:
    """Read an object. Raises ValueError if it is not one, or nested too deeply."""
    try:
        values = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where} is not JSON ({shorten(str(error))}); copy it again") from error
    if not isinstance(values, dict):
        raise ValueError(f"{where} must be an object, got {shorten(values)}")  # noqa: TRY004
    if _depth(values) > MOST_NESTED:
        raise ValueError(f"{where} is nested more than {MOST_NESTED} levels deep")
    return values


def _depth(value: object) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return depth


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}")
