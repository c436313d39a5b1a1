"""What a model does without each of its heads, over many sentences."""

from dataclasses import dataclass

from viz.corpus.atlas import Atlas
from viz.corpus.intervals import Estimate, Moments, mean, wilson
from viz.corpus.tables import HeadName


@dataclass(frozen=True)
class Cost:
    """What cutting one head costs: its output is 0 in every row."""

    head: HeadName
    loss: Estimate
    """More nats a token, mean over the tokens: each sentence is compared with itself."""
    right: Estimate
    """Share of the sentences that were right to the last token and still are."""
    broken: int
    """Sentences that were right and are not."""
    mended: int
    """Sentences that were not right and are."""


def costs(atlas: Atlas) -> tuple[Cost, ...]:
    """List what each head costs, the dearest first; nothing where no head was cut."""
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
