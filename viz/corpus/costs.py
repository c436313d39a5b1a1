"""What a model does without each of its heads, over many sentences."""

from dataclasses import dataclass

import numpy as np

from viz.corpus.atlas import Atlas
from viz.corpus.intervals import Estimate, mean, wilson
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
    if not atlas.origin.cuts:
        return ()
    listed = [_cost(atlas, head) for head in atlas.heads]
    return tuple(sorted(listed, key=lambda cost: -cost.loss.value))


def _cost(atlas: Atlas, head: HeadName) -> Cost:
    found = atlas.ask(
        """select c.loss - s.loss as lost, s.n_target as tokens, c.right as still, s.right as before
        from cuts c join sentences s using (sentence)
        where c.kind = ? and c.layer = ? and c.head = ? order by sentence""",
        *head,
    )
    still, before = found["still"].to_numpy(bool), found["before"].to_numpy(bool)
    return Cost(
        head,
        mean(found["lost"].to_numpy(np.float64), found["tokens"].to_numpy(np.float64)),
        wilson(int((before & still).sum()), int(before.sum())),
        int((before & ~still).sum()),
        int((still & ~before).sum()),
    )
