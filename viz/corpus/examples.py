"""Rows of a head to look at: from the lowest to the highest, not the highest alone.

Many rows have the same value, most often a weight that is all but 1. Which of them are shown is
then a matter of chance, so they are a sample, and it is said of how many.
"""

from dataclasses import dataclass

import numpy as np

from viz.corpus.atlas import Atlas, Pick
from viz.corpus.sums import STEPS
from viz.corpus.tables import HeadName

BANDS = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Quantiles that examples are taken at, the highest first."""


@dataclass(frozen=True)
class Band:
    """Examples at one quantile."""

    quantile: float
    weight: float
    """At that quantile, rounded to thousandths."""
    alike: int
    """Rows that have this weight."""
    examples: tuple[Pick, ...]


def doing(atlas: Atlas, head: HeadName, job: str) -> tuple[Pick, ...]:
    """Return rows in which a head does a job, each of another sentence and another word read.

    Those come first that the model finds least surprising: they are most like what people say.
    """
    found = (row for row in atlas.picked("doing", head) if row.what == job)
    return tuple(sorted(found, key=lambda row: row.order))


def examples(atlas: Atlas, head: HeadName, *, each: int = 3) -> tuple[Band, ...]:
    """Return examples at each quantile: of the rows that were picked by chance, the nearest.

    Args:
        atlas: Where to look.
        head: Whose rows.
        each: Examples of a quantile, each of another sentence.
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
