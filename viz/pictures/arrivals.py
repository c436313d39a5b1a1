"""Checks each value that a browser sends against the shape that its receiver declares."""

import types
from math import isfinite
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Shape = Any
"""A type: plain values, a choice of words, a list, a TypedDict, or a union of these."""


def fits(value: object, shape: Shape) -> bool:
    """Return whether a value from JSON has a shape.

    A TypedDict may have additional fields. A bool is not an integer, and a number must be finite,
    although Python reads other ones from JSON.
    """
    origin, parts = get_origin(shape), get_args(shape)
    if shape in (Any, object):
        return True
    if shape is None or shape is type(None):
        return value is None
    if is_typeddict(shape):
        return isinstance(value, dict) and _has_fields(value, shape)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return any(type(value) is type(word) and value == word for word in parts)
    if origin is list:
        return isinstance(value, list) and all(fits(each, parts[0]) for each in value)
    if shape is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value)
    return isinstance(value, dict) if shape is dict else type(value) is shape


def _has_fields(value: dict[Any, Any], shape: Shape) -> bool:
    hints = get_type_hints(shape, include_extras=True)
    for name, hint in hints.items():
        is_optional = get_origin(hint) is NotRequired
        inner = get_args(hint)[0] if is_optional else hint
        if not (fits(value[name], inner) if name in value else is_optional):
            return False
    return True


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # an integer beyond the largest float
        return False
