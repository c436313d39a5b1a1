"""When a row of attention reads something most: one rule for all that says so."""

from typing import Any

STANDS_OUT = 1.5
"""A row is even if its strongest weight is less than this many times the mean of the others; a mean
of several tokens stands out in the same way. browser/even_rows.js has the same rule."""


def stands_out(weight: Any, allowed: Any) -> Any:  # noqa: ANN401 - numbers, or arrays of them
    """Tell whether a weight of a row that may read so many tokens is more than an even one.

    A row that may read one token has no choice, and is never even.
    """
    return weight * (allowed - 1) >= STANDS_OUT * (1 - weight)
