"""How sure a number over sentences is: intervals that hold it 95 times in 100."""

import math
from dataclasses import dataclass
from typing import Self

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


@dataclass(frozen=True)
class Moments:
    """Sums over sentences of values x with weights w: all that a mean and its range need."""

    count: int
    weight: float
    """Of w."""
    total: float
    """Of w x."""
    squares: float
    """Of w² x²."""
    cross: float
    """Of w² x."""
    weight_squares: float
    """Of w²."""

    @classmethod
    def alike(cls, count: int, total: float, squares: float) -> Self:
        """Sum up values that all have the weight 1."""
        return cls(count, count, total, squares, total, count)


def mean(of: Moments) -> Estimate:
    """Estimate a mean over sentences, each counting as one or by its weight.

    Whether they are weighed or not, the sentences are what differs by chance: a ratio of two sums
    over them (Cochran 1977).
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
