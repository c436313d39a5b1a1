"""Which keys that a row must not read have weight, from the weights of a run."""

import numpy as np
from jaxtyping import Bool, Float

_MARKED = 0.005
"""Weight from which a cell that should be hidden is marked."""


def marked_cells(
    weights: Float[np.ndarray, "query key"],
    *,
    forbidden: Bool[np.ndarray, "query key"],
    real_rows: Bool[np.ndarray, " query"],
) -> list[tuple[int, int]]:
    """List the forbidden cells of real rows that have a weight worth marking."""
    cells = forbidden & real_rows[:, None] & (weights > _MARKED)
    return [(int(query), int(key)) for query, key in np.argwhere(cells)]
