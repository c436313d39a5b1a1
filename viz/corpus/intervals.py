"""How sure a number over sentences is: intervals that hold it 95 times in 100."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Z = 1.959964
"""Standard deviations on each side of the middle that leave 1 in 20 outside."""


@dataclass(frozen=True)
class Estimate:
    """A number, and from where to where it may be."""

    value: float
    low: float
    high: float
    count: int
    """Sentences that it is taken over."""


def wilson(hits: int, count: int) -> Estimate:
    """Estimate a share (Wilson 1927): it stays within 0 and 1, and holds for few or rare hits.

    Raises ValueError where there are more hits than tries.
    """
    if not 0 <= hits <= count:
        raise ValueError(f"hits must be from 0 to the count, got {hits} of {count}")
    if not count:
        return Estimate(math.nan, 0.0, 1.0, 0)
    share, square = hits / count, Z * Z
    middle = (share + square / (2 * count)) / (1 + square / count)
    spread = math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    reach = Z / (1 + square / count) * spread
    low = 0.0 if hits == 0 else middle - reach
    high = 1.0 if hits == count else middle + reach
    return Estimate(share, low, high, count)


def mean(
    values: Float[np.ndarray, " sentence"], weights: Float[np.ndarray, " sentence"] | None = None
) -> Estimate:
    """Estimate a mean over sentences, each counting as one or by its weight; NaN are left out.

    Whether they are weighed or not, the sentences are what differs by chance: a ratio of two sums
    over them (Cochran 1977).
    """
    known = np.isfinite(values)
    kept = values[known].astype(np.float64)
    each = np.ones(len(kept)) if weights is None else weights[known]
    if not len(kept):
        return Estimate(math.nan, math.nan, math.nan, 0)
    middle = float(np.average(kept, weights=each))
    if len(kept) == 1:
        return Estimate(middle, -math.inf, math.inf, 1)
    apart = float(((each * (kept - middle)) ** 2).sum()) * len(kept) / (len(kept) - 1)
    reach = Z * math.sqrt(apart) / float(each.sum())
    return Estimate(middle, middle - reach, middle + reach, len(kept))
