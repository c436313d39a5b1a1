"""The weight that heads put on the previous token, and on the tokens after earlier copies."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

LEAST_SHARE = 0.3
LEAST_TIMES = 10
"""A head counts as one that reads certain tokens if they get at least this share of its weight, and
each of them gets this many times the average weight of the others.

Among 120 models with random weights (72 heads each, weights spread by 0.02 to 1) none has a pair of
heads that meets both; three of 48 met 0.2 and 5. In trained models the weaker head has 0.74 and 19.
"""


@dataclass(frozen=True)
class Share:
    """Weights that a head gives to some of the tokens that it may read."""

    weight: float
    """The weight in one row, or its mean over rows."""
    each: float
    """The mean weight on one of the tokens."""
    others: float
    """The mean weight on one of the other tokens."""

    @property
    def counts(self) -> bool:
        """Whether the weight is enough to say that the head reads these tokens."""
        return self.weight >= LEAST_SHARE and self.each >= LEAST_TIMES * self.others


@dataclass(frozen=True)
class HeadReading:
    """One head's weights on certain tokens, averaged over the rows of a text."""

    layer: int
    head: int
    on_previous: Share
    """The weight on the token before the row's own."""
    on_copies: Share
    """The weight on the tokens that followed earlier copies of the row's own token, if any."""

    @property
    def previous(self) -> float:
        """Weight on the token before the row's own."""
        return self.on_previous.weight

    @property
    def copies(self) -> float:
        """Weight on the tokens that followed earlier copies, in rows that have any."""
        return self.on_copies.weight


def followers_of(ids: Sequence[int], specials: frozenset[int]) -> tuple[tuple[int, ...], ...]:
    """Return, for each position, the positions right after earlier copies of its token."""
    seen: defaultdict[int, list[int]] = defaultdict(list)
    found: list[tuple[int, ...]] = []
    for place, id in enumerate(ids):
        found.append(tuple(at + 1 for at in seen[id]))
        if id not in specials:
            seen[id].append(place)
    return tuple(found)


def read_heads(
    weights: Float[np.ndarray, "layer head query key"],
    followers: Sequence[Sequence[int]],
    allowed: Int[np.ndarray, " query"],
) -> tuple[HeadReading, ...]:
    """Measure how much each head reads the previous token, and the tokens after copies."""
    size = weights.shape[-1]
    copies: Bool[np.ndarray, "query key"] = np.zeros((size, size), dtype=bool)
    for row, columns in enumerate(followers):
        copies[row, list(columns)] = True
    before = np.eye(size, k=-1, dtype=bool)
    on_copies, on_previous = (_shares(weights, of, allowed) for of in (copies, before))
    return tuple(
        HeadReading(layer, head, on_previous[layer][head], on_copies[layer][head])
        for layer in range(weights.shape[0])
        for head in range(weights.shape[1])
    )


def _shares(
    weights: Float[np.ndarray, "layer head query key"],
    counting: Bool[np.ndarray, "query key"],
    allowed: Int[np.ndarray, " query"],
) -> list[list[Share]]:
    """Average the weight that each head gives to the chosen cells, over the rows that have any."""
    rows = counting.any(axis=-1)
    if not rows.any():
        return [[Share(0.0, 0.0, 0.0) for _ in layer] for layer in weights]
    count = counting[rows].sum(axis=-1)
    weight = (weights * counting).sum(axis=-1)[..., rows]
    others = (1 - weight) / np.maximum(allowed[rows] - count, 1)
    three = np.stack([weight, weight / count, others]).mean(axis=-1)
    return [[Share(*map(float, head)) for head in layer] for layer in three.transpose(1, 2, 0)]
