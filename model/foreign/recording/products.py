"""Products of two tensors in one order of axes, whichever function of torch computes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from model.foreign.recording.steps import Applied, Step


class Product(NamedTuple):
    """A product of two tensors with the same leading axes."""

    left: Tensor
    """(..., row, inner)"""
    right: Tensor
    """(..., inner, column)"""
    asked: Tensor
    """The left tensor, in the axes of the code."""
    other: Tensor
    """The right tensor, in the axes of the code."""
    bring_left: Step
    """Turns `asked` into `left`."""
    bring_right: Step
    order: tuple[int, ...] | None = None
    """The order of the product's axes in the code; None for (..., row, column)."""
    step: Step | None = None
    """A further step that the same function applies to the product."""
    added: Tensor | None = None
    """The tensor that this step adds."""


def product_of(name: str, args: tuple, kwargs: Mapping[str, Any], *, mixes: bool) -> Product | None:
    """Return the product of two computed tensors; None if one of them is a weight."""
    if name == "einsum":
        operands = args[1] if len(args) == 2 and isinstance(args[1], list | tuple) else args[1:]
        return _einsum(args[0], operands, mixes=mixes) if isinstance(args[0], str) else None
    step: Step | None = None
    added: Tensor | None = None
    if name == "baddbmm":
        added, *args_left = (*args, kwargs.get("batch1"), kwargs.get("batch2"))
        beta, alpha = kwargs.get("beta", 1), kwargs.get("alpha", 1)
        args = tuple(x for x in args_left if x is not None)

        step = Applied(_scaled, (None, alpha, beta, added if beta else None), 0, {})
    elif len(args) == 1 and isinstance(kwargs.get("other", kwargs.get("mat2")), Tensor):
        args = (*args, kwargs.get("other", kwargs.get("mat2")))
    if len(args) != 2 or not _are_inner(args):
        return None
    return Product(args[0], args[1], args[0], args[1], as_it_is, as_it_is, None, step, added)


def as_it_is(x: Tensor) -> Tensor:
    """Return the tensor itself."""
    return x


def _scaled(x: Tensor, alpha: float, beta: float, added: Tensor | None) -> Tensor:
    return alpha * x if added is None else alpha * x + beta * added


def _are_inner(operands: Sequence[object]) -> bool:
    """Return whether both tensors were computed, so that neither is a weight of a linear map."""
    return all(
        isinstance(x, Tensor) and not isinstance(x, nn.Parameter) and x.dim() > 1 for x in operands
    )


def _einsum(equation: str, operands: Sequence[object], *, mixes: bool) -> Product | None:
    """Read a product of two tensors from an equation, such as `bqhd,bkhd->bhqk`.

    Rows are the last axis but one of the result, or of the weights if the product mixes values.
    """
    given, _, out = equation.replace(" ", "").partition("->")
    letters = given.split(",")
    if len(letters) != 2 or len(operands) != 2 or "." in equation or not _are_inner(operands):
        return None
    pair: list[tuple[str, Any]] = list(zip(letters, operands, strict=True))
    if out[-1:] in letters[0]:
        pair.reverse()
    (left, x), (right, y) = pair
    inner = [a for a in left if a in right and a not in out]
    row = (left if mixes else out)[-2:-1]
    columns = [a for a in right if a not in left]
    if len(inner) != 1 or len(columns) != 1 or set(left + right) != {*out, *inner}:
        return None
    batch = [a for a in out if a in left and a != row]
    made = [*batch, row, *columns]
    if row in right or len(made) != len(out):
        return None
    order = tuple(made.index(a) for a in out)
    bring_left = _arranging(left, [*batch, row, *inner])
    bring_right = _arranging(right, [*batch, *inner, *columns])
    return Product(
        bring_left(x),
        bring_right(y),
        x,
        y,
        bring_left,
        bring_right,
        None if order == tuple(range(len(order))) else order,
    )


def _arranging(letters: str, wanted: Sequence[str]) -> Step:
    """Make a step that puts axes into an order; missing axes get size 1."""
    axes = [letters.index(a) for a in wanted if a in letters]
    missing = tuple(i for i, a in enumerate(wanted) if a not in letters)
    return Arranged(tuple(axes), missing)


@dataclass(frozen=True)
class Arranged:
    """Puts axes into an order, and adds axes of size 1."""

    axes: tuple[int, ...]
    ones: tuple[int, ...]
    """The places of the added axes, in the new order."""

    def __call__(self, x: Tensor) -> Tensor:
        """Arrange a tensor."""
        x = x.permute(self.axes)
        for axis in self.ones:
            x = x.unsqueeze(axis)
        return x


def inverse_order(order: Sequence[int]) -> list[int]:
    """Return the order of axes that undoes another."""
    return sorted(range(len(order)), key=lambda i: order[i])


def undone(bring: Step, shape: torch.Size, new: Tensor) -> Tensor:
    """Put rearranged numbers back in their original places, in a tensor of the given shape."""
    places = bring(torch.arange(shape.numel(), device=new.device).view(shape))
    return new.reshape(-1)[places.reshape(-1).argsort()].view(shape)
