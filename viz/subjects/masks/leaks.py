"""How much weight falls on keys that a row must not read, measured from the weights of a run."""

import numpy as np
from jaxtyping import Bool, Float
from torch import Tensor

_MARKED = 0.005
"""Weight from which a cell that should be hidden is marked."""


def worst_rows(
    weights: Float[Tensor, "layer head batch query key"],
    cells: Bool[Tensor, "batch query key"],
    real_rows: Bool[Tensor, "batch query"],
) -> Float[np.ndarray, "layer head batch"]:
    """Return the largest part, 0 to 1, of a row of tokens that falls on some cells, in float64.

    A weight that is NaN counts as 0.
    """
    known = weights.double().nan_to_num(nan=0.0)
    shares = (known * cells).sum(dim=-1)
    return (shares * real_rows).amax(dim=-1).cpu().numpy()


def marked_cells(
    weights: Float[np.ndarray, "query key"],
    *,
    forbidden: Bool[np.ndarray, "query key"],
    real_rows: Bool[np.ndarray, " query"],
) -> list[tuple[int, int]]:
    """List the forbidden cells of real rows that have a weight worth marking."""
    cells = forbidden & real_rows[:, None] & (weights > _MARKED)
    return [(int(query), int(key)) for query, key in np.argwhere(cells)]
