"""The scores of a checkpoint over the sentences of its atlas, with confidence intervals."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from viz.corpus.atlas import Atlas, Sum
from viz.corpus.intervals import Estimate, Moments, mean, wilson
from viz.run.axes import AttentionKind

CROSS: AttentionKind = "cross-attention"


@dataclass(frozen=True)
class Scores:
    """The scores over some sentences."""

    right: Estimate
    """Share of sentences in which greedy decoding writes every token correctly."""
    loss: Estimate
    """Nats per target token, given the correct ones before it; the mean over sentences."""
    aligned: Estimate | None
    """Share of the aligned rows in which the best head reads the aligned token most; the mean over
    sentences. None if nothing is aligned."""
    best: tuple[int, int] | None
    """Layer and number of that head of cross-attention."""


def score(atlas: Atlas, *, held_out: bool = True) -> Scores | None:
    """Score an atlas over its sentences unseen in training, or over all; None without any."""

    def of(rows: Iterable[Sum]) -> list[Sum]:
        return [row for row in rows if row.at or not held_out]

    right = of(atlas.of("right"))
    if not sum(row.n for row in right):
        return None
    reads: dict[tuple[int, int], Estimate] = {}
    for head in atlas.heads:
        gold = of(row for row in atlas.of("metric", head) if row.what == "gold")
        if head.kind == CROSS and sum(row.n for row in gold):
            reads[head.layer, head.head] = _mean(gold, most=1.0)
    best = max(reads, key=lambda place: reads[place].value, default=None)
    return Scores(
        wilson(round(sum(row.total for row in right)), sum(row.n for row in right)),
        _mean(of(atlas.of("loss"))),
        reads[best] if best else None,
        best,
    )


def _mean(rows: Sequence[Sum], most: float = math.inf) -> Estimate:
    """Estimate a mean of values from 0 to `most`."""
    n, total, squares = (sum(values) for values in zip(*(row[3:] for row in rows), strict=True))
    found = mean(Moments.alike(int(n), total, squares))
    return replace(found, low=max(0.0, found.low), high=min(most, found.high))
