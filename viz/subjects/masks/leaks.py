"""How much weight falls on keys that a row must not read, measured from the weights of a run."""

from dataclasses import asdict, dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from torch import Tensor

_MARKED = 0.005
"""Weight from which a cell that should be hidden is marked."""


@dataclass(frozen=True, eq=False)
class Leak:
    """Weight on one sort of keys, for every head and sentence, summed in float64.

    All but the last count only rows of real tokens. A weight that is NaN counts as 0.
    """

    share: Float[np.ndarray, "layer head batch"]
    """Of the row that gives most: the part of its weight, 0 to 1."""
    row: Int[np.ndarray, "layer head batch"]
    """Number of that row, from 0."""
    padding_rows: Float[np.ndarray, "layer head batch"]
    """Sum over the rows of padding, which no loss counts."""

    @property
    def worst(self) -> tuple[int, int, int]:
        """Layer, head and sentence of the row that gives most of all."""
        layer, head, sentence = np.unravel_index(self.share.argmax(), self.share.shape)
        return int(layer), int(head), int(sentence)

    def only(self, sentence: int) -> "Leak":
        """Leave out what the other sentences let through."""
        kept = np.arange(self.share.shape[-1]) == sentence
        return Leak(**{name: values * kept for name, values in asdict(self).items()})


@dataclass(frozen=True, eq=False)
class Leaks:
    """All that one kind of attention lets through."""

    future: Leak
    """Later real tokens of the target; nothing in the kinds that have no future."""
    padding: Leak
    """Padding, whether it stands later or not: no key is of both sorts."""
    hidden: Leak
    """Keys that the mask in force hides, so 0 unless the filled value is too large."""
    masked_rows: Int[np.ndarray, " batch"]
    """Rows, of tokens or of padding, whose keys are all hidden."""
    undefined_rows: Int[np.ndarray, "layer head batch"]
    """Rows, of tokens or of padding, whose weights are NaN."""


def measure(
    weights: Float[Tensor, "layer head batch query key"],
    mask: Bool[Tensor, "batch query key"],
    *,
    future: Bool[Tensor, "batch query key"],
    padding: Bool[Tensor, "batch query key"],
    real_rows: Bool[Tensor, "batch query"],
) -> Leaks:
    """Measure one kind of attention; `future` and `padding` mark the cells of each sort."""
    known = weights.double().nan_to_num(nan=0.0)
    return Leaks(
        future=_leak(known, future, real_rows),
        padding=_leak(known, padding, real_rows),
        hidden=_leak(known, ~mask, real_rows),
        masked_rows=_array((~mask.any(dim=-1)).sum(dim=-1)),
        undefined_rows=_array(weights.isnan().any(dim=-1).sum(dim=-1)),
    )


def marked_cells(
    weights: Float[np.ndarray, "query key"],
    *,
    forbidden: Bool[np.ndarray, "query key"],
    real_rows: Bool[np.ndarray, " query"],
) -> list[tuple[int, int]]:
    """List the forbidden cells of real rows that have a weight worth marking."""
    cells = forbidden & real_rows[:, None] & (weights > _MARKED)
    return [(int(query), int(key)) for query, key in np.argwhere(cells)]


def _leak(
    weights: Float[Tensor, "layer head batch query key"],
    cells: Bool[Tensor, "batch query key"],
    real_rows: Bool[Tensor, "batch query"],
) -> Leak:
    shares = (weights * cells).sum(dim=-1)
    of_tokens = shares * real_rows
    share, row = of_tokens.max(dim=-1)
    return Leak(
        share=_array(share),
        row=_array(row),
        padding_rows=_array((shares * ~real_rows).sum(dim=-1)),
    )


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.cpu().numpy()
