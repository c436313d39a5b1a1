"""Reads the changes that the browser sends; they are checked because it may send anything."""

from typing import Any, cast

from model.config import TransformerConfig
from model.interventions.kinds import Intervention
from texts import say

KINDS = ("point", "paint", "cut")
MOST = 8
"""The largest number of changes in one movement."""
_LONGEST_NAME = 60


def read_asked(given: object, config: TransformerConfig) -> tuple[Intervention, ...]:
    """Read changes of attention weights. Raises ValueError if they do not fit this model."""
    _expect(isinstance(given, list) and len(given) <= MOST)
    found = tuple(map(_read, cast("list[Any]", given)))
    for made in found:
        made.names(config)
    return found


def _read(given: Any) -> Intervention:  # noqa: ANN401 - whatever the browser sends
    _expect(isinstance(given, dict) and given.get("kind") in KINDS)
    name = str(given.get("name"))
    _expect(len(name) <= _LONGEST_NAME and name.endswith(".weights"))
    values, amount = given.get("values") or [], given.get("amount", 1.0)
    _expect(isinstance(values, list) and all(map(_is_number, [*values, amount])))
    return Intervention(
        given["kind"],
        name,
        _whole(given.get("head")),
        _positions(given.get("rows")),
        _positions(given.get("columns")),
        float(amount),
        tuple(map(float, values)),
    )


def _positions(given: Any) -> tuple[int, ...] | None:  # noqa: ANN401 - whatever the browser sends
    if given is None:
        return None
    _expect(isinstance(given, list))
    return tuple(number for each in given if (number := _whole(each)) is not None)


def _whole(given: Any) -> int | None:  # noqa: ANN401 - whatever the browser sends
    _expect(given is None or (isinstance(given, int) and not isinstance(given, bool)))
    return given


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _expect(is_right: bool) -> None:
    if not is_right:
        raise ValueError(say("touch.rule", most=MOST))
