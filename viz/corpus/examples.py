"""Rows of a head to look at: from the lowest weight to the highest, not only the highest.

Many rows have the same value, often a weight of almost 1. The rows that are shown are then a random
sample, and the page says how many rows are alike.
"""

from dataclasses import dataclass

import numpy as np

from viz.corpus.atlas import Atlas, Pick
from viz.corpus.sums import STEPS
from viz.corpus.tables import HeadName

BANDS = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Quantiles of the examples, the highest first."""


@dataclass(frozen=True)
class Band:
    """Examples at one quantile."""

    quantile: float
    weight: float
    """The weight at that quantile, rounded to thousandths."""
    alike: int
    """Number of rows with this weight."""
    examples: tuple[Pick, ...]


def doing(atlas: Atlas, head: HeadName, job: str) -> tuple[Pick, ...]:
    """Return rows in which a head does a job, each from another sentence and for another word.

    The sentences with the lowest loss come first, because they are the most usual ones.
    """
    found = (row for row in atlas.picked("doing", head) if row.what == job)
    return tuple(sorted(found, key=lambda row: row.order))


def examples(atlas: Atlas, head: HeadName, *, each: int = 3) -> tuple[Band, ...]:
    """Return examples at each quantile: of the picked rows, those with the nearest weight.

    Args:
        atlas: The atlas.
        head: The head.
        each: Examples for each quantile, each from another sentence.
    """
    counts = sorted((row.at, row.n) for row in atlas.of("weight", head))
    picked = [row for name in ("most", "least", "sample") for row in atlas.picked(name, head)]
    below = np.cumsum([n for _, n in counts])
    found, taken = [], set[int]()
    for quantile in BANDS if counts else ():
        step, alike = counts[int(np.searchsorted(below, max(quantile * below[-1], 1)))]
        far = {row: abs(round(row.weight * STEPS) - step) for row in picked}
        near: dict[int, Pick] = {}
        for row in sorted(far, key=lambda row: (far[row], row.order)):
            if row.sentence not in taken and len(near) < each:
                near.setdefault(row.sentence, row)
        taken |= near.keys()
        found.append(Band(quantile, step / STEPS, alike, tuple(near.values())))
    return tuple(found)
