"""The one right target of a source that someone typed, and its gold alignment."""

import re
from collections.abc import Callable

from sample_data import digits, everyday
from sample_data.pairs import Pair
from sample_data.tasks import TASKS

_WORD = re.compile(r"[.,?!]|[^\s.,?!]+")


def find_gold(task: str, source: str) -> Pair | None:
    """Work out the pair whose source this is; None where the sample data have no such pair.

    White space does not matter, nor do capitals, nor whether a full stop stands apart. The pair has
    the source as the task writes it, whose words its alignment counts.
    """
    if task not in TASKS:
        return None
    return _FINDERS[task](" ".join(_WORD.findall(source.lower())))


def makes_sense(task: str, source: str) -> bool:
    """Return whether a source is one that the sample data could have drawn."""
    pair = find_gold(task, source)
    return pair is not None and (task != "everyday" or everyday.goes_together(pair.source))


def _carry_out(source: str) -> Pair | None:
    command, *typed = source.split() or [""]
    if not typed or not all(re.fullmatch("[0-9]", digit) for digit in typed):
        return None
    try:
        return digits.carry_out(command, typed)
    except ValueError:
        return None


_FINDERS: dict[str, Callable[[str], Pair | None]] = {
    "everyday": everyday.read,
    "digits": _carry_out,
}
