"""Sums of tensors that a pass holds, and whether another of its tensors is such a sum."""

from dataclasses import dataclass

import torch
from torch import Tensor

_ROUNDINGS = 4
"""By how many roundings two ways to add up a few terms may differ."""


@dataclass(frozen=True, eq=False)
class Sum:
    """A sum, with the size of its terms: it says how far rounding may have carried it."""

    total: Tensor
    size: Tensor
    """Sum of the terms' absolute values."""

    @classmethod
    def of(cls, x: Tensor) -> "Sum":
        """Return the sum of one term."""
        return cls(x, x.abs())

    def plus(self, x: Tensor) -> "Sum":
        """Add a term."""
        return Sum(self.total + x, self.size + x.abs())

    def is_(self, x: Tensor | None) -> bool:
        """Return whether a tensor is this sum, within rounding."""
        if x is None or x.shape != self.total.shape or not x.is_floating_point():
            return False
        return bool(((x - self.total).abs() <= self._tolerance()).all())

    def would_miss(self, term: Tensor) -> bool:
        """Return whether `is_` would notice that a term is left out."""
        return bool((term.abs() > 4 * self._tolerance()).float().mean() > 0.5)

    def _tolerance(self) -> Tensor:
        return _ROUNDINGS * torch.finfo(self.total.dtype).eps * self.size
