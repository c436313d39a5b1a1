"""Which dimensions of an encoding of positions hardly move, as every page counts them."""

import numpy as np
from jaxtyping import Float, Int

STILL_BELOW = 0.1
"""Range over the positions watched below which a dimension hardly moves; a whole sine has 2."""
STILL_OVER = 50
"""Positions over which a dimension is watched."""


def ranges(values: Float[np.ndarray, "position d_model"]) -> Float[np.ndarray, " d_model"]:
    """Compute how far apart the highest and the lowest value of each dimension are."""
    return np.ptp(values, axis=0)


def still_dimensions(values: Float[np.ndarray, "position d_model"]) -> Int[np.ndarray, " still"]:
    """List the dimensions that hardly move."""
    return np.flatnonzero(ranges(values) < STILL_BELOW)
