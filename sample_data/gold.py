"""The one correct target of a typed source, and its gold alignment."""

import re

from sample_data.pairs import Pair
from sample_data.tasks import TASKS

_WORD = re.compile(r"[.,?!]|[^\s.,?!]+")


def find_gold(task: str, source: str) -> Pair | None:
    """Find the pair with this source; None if the sample data have no such pair.

    White space, capitals, and a space before the full stop do not matter. The pair has the source
    as the task writes it, whose words its alignment counts.
    """
    if task not in TASKS:
        return None
    return TASKS[task].knowledge.read(" ".join(_WORD.findall(source.lower())))


def makes_sense(task: str, source: str) -> bool:
    """Return whether the sample data could have drawn a source."""
    pair = find_gold(task, source)
    return pair is not None and TASKS[task].knowledge.makes_sense(pair.source)
