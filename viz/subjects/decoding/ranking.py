"""The most probable tokens of each step, and sums over all other tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from model.decoding.distribution import best_first
from model.decoding.steps import DecodingStep
from viz.subjects.decoding.strategy import TEMPERATURE_PLACES, Shaping

MOST_RANKED = 200
"""The number of tokens named at each step; a large vocabulary has 50,000."""
MOST_WHOLE = 2000
"""The largest vocabulary whose tokens are all named for a sampler, as top-p may keep any."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The best tokens, and sums over the others for the softmax at some temperatures.

    With x = (logit - largest logit) / temperature, the sums are of exp(x) and of x exp(x), which
    the entropy needs.
    """

    vocabulary_size: int
    tokens: Int[np.ndarray, "step best"]
    """The ids, the most probable first."""
    logits: Float[np.ndarray, "step best"]
    ranks: tuple[int, ...]
    """The rank of the written token of each step among all, from 1."""
    temperatures: tuple[float, ...]
    sums: Float[np.ndarray, "step temperature"]
    weighted: Float[np.ndarray, "step temperature"]


def ranked_tokens(vocabulary_size: int, *, sampled: bool) -> int:
    """Count the tokens of each step that are named."""
    if sampled and vocabulary_size <= MOST_WHOLE:
        return vocabulary_size
    return min(vocabulary_size, MOST_RANKED)


def shown_shaping(shaping: Shaping, drawn: Shaping, vocabulary_size: int) -> Shaping:
    """Return a shaping that can be shown, by the nearest temperature with sums over the others.

    Without other tokens, any temperature can.
    """
    if (
        vocabulary_size <= ranked_tokens(vocabulary_size, sampled=True)
        or shaping.temperature == drawn.temperature
    ):
        return shaping
    nearest = min(TEMPERATURE_PLACES, key=lambda place: abs(place - shaping.temperature))
    return shaping._replace(temperature=nearest)


def rank_steps(steps: Sequence[DecodingStep], temperatures: Sequence[float], most: int) -> Ranking:
    """Rank the tokens of each step, and sum over the others for each temperature."""
    size = len(steps[0].logits)
    tokens, logits, sums, weighted = [], [], [], []
    for step in steps:
        best = best_first(step.logits, min(most, size))
        is_other = torch.ones(size, dtype=torch.bool)
        is_other[best] = False
        others = step.logits[is_other].double().numpy()
        largest = float(step.logits[best[0]])
        scaled = (others - largest) / np.asarray(temperatures, dtype=np.float64)[:, None]
        powers = np.exp(scaled)
        tokens.append(best.numpy().astype(np.int32))
        logits.append(step.logits[best].numpy().astype(np.float32))
        sums.append(powers.sum(axis=1))
        weighted.append((powers * np.where(powers > 0, scaled, 0.0)).sum(axis=1))
    return Ranking(
        vocabulary_size=size,
        tokens=np.stack(tokens),
        logits=np.stack(logits),
        ranks=tuple(step.rank + 1 for step in steps),
        temperatures=tuple(temperatures),
        sums=np.stack(sums),
        weighted=np.stack(weighted),
    )
