"""Reads the changes that a hand has made in the browser, which may send anything."""

from typing import Any

from model.config import TransformerConfig
from model.interventions.kinds import Intervention
from texts import say

KINDS = ("point", "paint", "cut", "patch")
MOST = 8
"""Changes that one movement makes."""
_LISTED = ", ".join(KINDS)
_HEADS, _LISTS = ("head", "origin_head"), ("rows", "columns")
_LONGEST_NAME = 60


def read_asked(given: object, config: TransformerConfig) -> tuple[Intervention, ...]:
    """Read changes of attention weights. Raises ValueError on what is none of this model."""
    if not isinstance(given, list) or len(given) > MOST:
        raise ValueError(say("touch.rule_count", most=MOST))
    found = tuple(map(_read, given))
    for made in found:
        made.names(config)
    return found


def _read(given: Any) -> Intervention:  # noqa: ANN401 - whatever the browser sends
    _expect(
        isinstance(given, dict) and given.get("kind") in KINDS,
        say("touch.rule_kind", kinds=_LISTED),
    )
    name = str(given.get("name"))
    is_of_weights = len(name) <= _LONGEST_NAME and name.endswith(".weights")
    _expect(is_of_weights, say("touch.rule_weights"))
    heads, lists = ((given.get(n) for n in names) for names in (_HEADS, _LISTS))
    head, origin_head = map(_whole, heads)
    rows, columns = map(_positions, lists)
    values, amount = given.get("values") or [], given.get("amount", 1.0)
    _expect(isinstance(values, list) and all(map(_is_number, values)), say("touch.rule_values"))
    _expect(_is_number(amount), say("touch.rule_amount"))
    return Intervention(
        given["kind"],
        name,
        head,
        rows,
        columns,
        float(amount),
        tuple(map(float, values)),
        origin_head=origin_head,
    )


def _positions(given: Any) -> tuple[int, ...] | None:  # noqa: ANN401 - whatever the browser sends
    _expect(given is None or isinstance(given, list), say("touch.rule_list"))
    return (
        None if given is None else tuple(number for n in given if (number := _whole(n)) is not None)
    )


def _whole(given: Any) -> int | None:  # noqa: ANN401 - whatever the browser sends
    is_whole = isinstance(given, int) and not isinstance(given, bool)
    _expect(given is None or is_whole, say("touch.rule_whole"))
    return given


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _expect(is_right: bool, rule: str) -> None:
    if not is_right:
        raise ValueError(rule)
