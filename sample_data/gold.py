"""The one right target of a source that someone typed, and its gold alignment."""

import re

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
    return TASKS[task].knowledge.read(" ".join(_WORD.findall(source.lower())))


def makes_sense(task: str, source: str) -> bool:
    """Return whether a source is one that the sample data could have drawn."""
    pair = find_gold(task, source)
    return pair is not None and TASKS[task].knowledge.makes_sense(pair.source)
