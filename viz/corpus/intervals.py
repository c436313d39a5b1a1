"""Confidence intervals (95%) for numbers over sentences."""

import math
from dataclasses import dataclass
from typing import Self

Z = 1.959964
"""Standard deviations on each side of the mean, outside of which 1 in 20 values lies."""


@dataclass(frozen=True)
class Estimate:
    """A number and its confidence interval."""

    value: float
    low: float
    high: float
    count: int
    """Number of sentences behind it."""


def wilson(hits: int, count: int) -> Estimate:
    """Estimate a share (Wilson 1927); the interval stays within 0 and 1, also for few or rare hits.

    Raises ValueError if there are more hits than tries.
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


@dataclass(frozen=True)
class Moments:
    """Sums over sentences of values x with weights w, enough for a mean and its interval."""

    count: int
    weight: float
    """The sum of w."""
    total: float
    """The sum of w x."""
    squares: float
    """The sum of w² x²."""
    cross: float
    """The sum of w² x."""
    weight_squares: float
    """The sum of w²."""

    @classmethod
    def alike(cls, count: int, total: float, squares: float) -> Self:
        """Return the moments of values with weight 1, from their sums."""
        return cls(count, count, total, squares, total, count)


def mean(of: Moments) -> Estimate:
    """Estimate a mean over sentences, weighted or not, with its interval.

    The sentences are the random units, so the mean is a ratio of two sums over them (Cochran 1977).
    """
    if not of.count:
        return Estimate(math.nan, math.nan, math.nan, 0)
    middle = of.total / of.weight
    if of.count == 1:
        return Estimate(middle, -math.inf, math.inf, 1)
    around = of.squares - 2 * middle * of.cross + middle**2 * of.weight_squares
    apart = max(around, 0) * of.count / (of.count - 1)
    reach = Z * math.sqrt(apart) / of.weight
    return Estimate(middle, middle - reach, middle + reach, of.count)
