"""The cost of each head: the scores of a model without it, over many sentences."""

from dataclasses import dataclass

from viz.corpus.atlas import Atlas
from viz.corpus.intervals import Estimate, Moments, mean, wilson
from viz.corpus.tables import HeadName


@dataclass(frozen=True)
class Cost:
    """The cost of cutting one head, whose output is then 0 in every row."""

    head: HeadName
    loss: Estimate
    """Added nats per token, as a mean over the tokens; each sentence is compared with itself."""
    right: Estimate
    """Share of the completely correct sentences that remain so."""
    broken: int
    """Correct sentences that become wrong."""
    mended: int
    """Wrong sentences that become correct."""


def costs(atlas: Atlas) -> tuple[Cost, ...]:
    """Return the cost of each head, the highest first; empty if no head was cut."""
    listed = [_cost(atlas, head) for head in atlas.heads if atlas.of("cut", head)]
    return tuple(sorted(listed, key=lambda cost: -cost.loss.value))


def _cost(atlas: Atlas, head: HeadName) -> Cost:
    [lost], [each], [cut] = (atlas.of(name, head) for name in ("lost", "lost_each", "cut"))
    moments = Moments(
        count=each.n,
        weight=lost.n,
        total=lost.total,
        squares=lost.squares,
        cross=each.total,
        weight_squares=each.squares,
    )
    still = round(cut.total)
    return Cost(head, mean(moments), wilson(still, cut.n), cut.n - still, round(cut.squares))
