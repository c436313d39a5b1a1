"""The product of an attention's weights and values, and everything that led to it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from model.foreign.recording.products import Product, inverse_order
from model.foreign.recording.rearranged import Layout
from model.foreign.recording.steps import Step
from model.foreign.recording.terms import Scored


class Softmax(NamedTuple):
    """A softmax on the way from a product to the weights."""

    run: Callable[[Tensor], Tensor]
    read: Tensor | None
    """Its input; None if nothing has to be computed again."""
    gave: Tensor
    """Its output before later steps change it in place."""
    result: Tensor
    """Its output."""


@dataclass(eq=False)
class Mix:
    """One product of an attention's weights and values."""

    scored: Scored
    softmax: Softmax
    after: tuple[Step, ...]
    """The steps from the softmax to the weights."""
    product: Product
    run: Callable[[Tensor, Tensor], Tensor]
    """Computes the product for other weights and values."""
    made: Tensor | None
    """The product of queries and keys; None if nothing has to be computed again."""
    result: Tensor
    path: str
    """The path of the module that computed the product."""
    split: torch.Size | None
    """The first axes of the weights, if the code itself kept them apart."""
    is_whole: bool
    """Whether each row of the queries is a whole row of one projection."""
    is_told: bool = False
    new: Tensor | None = None
    """The tensor that replaces the result after an edit."""

    @cached_property
    def leading(self) -> torch.Size:
        """The axes of the weights before the last two."""
        return self.product.left.shape[:-2]

    @cached_property
    def layout(self) -> Layout:
        """The axes of the result."""
        order = self.product.order
        x = self.result if order is None else self.result.permute(inverse_order(order))
        return Layout(x.shape, order)

    def aligned(self, x: Tensor) -> Tensor:
        """Give a tensor the leading axes of the weights, if it has as many numbers there."""
        n = self.leading.numel()
        if len(self.leading) + 2 != x.dim() and n == x.shape[:-2].numel():
            return x.reshape(*self.leading, *x.shape[-2:])
        return x


def keeps_rows(mix: Mix) -> bool:
    """Return whether each weight depends only on its own softmax number, up to a factor per row.

    That holds for gates and masks of queries, keys or heads, but not if heads are mixed or another
    softmax is subtracted. To find out, Loupe changes the softmax at each place.
    """
    soft = mix.softmax.gave
    change = 1 + 0.5 * torch.arange(soft.numel(), device=soft.device).mul(1.7).sin()
    made = soft * change.view(soft.shape).to(soft.dtype)
    for step in mix.after:
        made = step(made)
    asked = mix.product.asked
    if made.numel() != asked.numel():
        return False
    change, made, asked = (x.reshape(asked.shape).double() for x in (change, made, asked))
    expected = asked * change
    there = (made != 0) & (expected != 0)
    # Compare shares of a row, so that the rounding of small weights decides nothing.
    one, other = made.masked_fill(~there, 0), expected.masked_fill(~there, 0)
    sizes = [x.abs().sum(-1, keepdim=True).clamp(min=1e-30) for x in (one, other)]
    near = 1e-4 if mix.product.asked.dtype in (torch.float32, torch.float64) else 2e-2
    return bool(((one / sizes[0] - other / sizes[1]).abs() <= near).all())
