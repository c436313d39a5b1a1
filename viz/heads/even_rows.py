"""The rule for whether a row of attention reads one token clearly more than the others."""

from typing import Any

STANDS_OUT = 1.5
"""A row is even if its strongest weight is less than this many times the mean of the others. The
same holds for the mean of several tokens. browser/even_rows.js has the same rule."""


def stands_out(weight: Any, allowed: Any) -> Any:  # noqa: ANN401 - numbers, or arrays of them
    """Return whether a weight stands out in a row that may read `allowed` tokens.

    A row that may read one token has no choice, and is never even.
    """
    return weight * (allowed - 1) >= STANDS_OUT * (1 - weight)
