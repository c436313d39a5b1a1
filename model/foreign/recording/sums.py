"""Sums of tensors in a pass, and checks whether another of its tensors is such a sum."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

_ROUNDINGS = 4
"""The number of roundings by which two ways of adding a few terms may differ."""

_LATER = 64
"""The same for rows of later passes, in whose known sums Loupe only looks for a change."""


@dataclass(frozen=True, eq=False)
class Sum:
    """A sum, and the size of its terms, which bounds the rounding error."""

    total: Tensor
    size: Tensor
    """The sum of the terms' absolute values."""

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
        """Return whether `is_` would notice that a term is missing."""
        return bool((term.abs() > 4 * self._tolerance()).float().mean() > 0.5)

    def _tolerance(self) -> Tensor:
        return _ROUNDINGS * torch.finfo(self.total.dtype).eps * self.size


@torch.no_grad()
def is_sum_of(terms: Sequence[Tensor], total: Tensor) -> bool:
    """Return whether rows that once added up still do, with a generous allowance for rounding."""
    if any(x.shape != total.shape for x in terms):
        return False
    found, size = sum(terms), sum(x.abs() for x in terms)
    tolerance = _LATER * torch.finfo(total.dtype).eps * size
    return bool(((total - found).abs() <= tolerance).all())


def rounding_of(output: object) -> float:
    """Return a distance between two outputs that rounding alone rarely reaches."""
    found = [x.detach() for x in tensors_in(output) if x.is_floating_point() and x.numel()]
    sizes = (torch.finfo(x.dtype).eps ** 0.5 * x.abs().nan_to_num(0, 0, 0).max() for x in found)
    return max((size.item() for size in sizes), default=0.0)


def tensors_in(value: object) -> Iterator[Tensor]:
    """Yield the tensors of a module's output, in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors_in(item)
