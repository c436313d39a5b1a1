"""An attention that is written out: queries times keys, a softmax, its weights times values.

A softmax can be of anything. One of a product of two tensors whose result mixes the rows of a third
is an attention, and is believed where scale, bias and mask can be read off the steps between the
product and the softmax: these are run again on scores of 0 and of 1.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from model.foreign.recording.attention import (
    FAR_BELOW,
    AttentionCall,
    is_softmax_of,
    is_unread,
    once_for_equal,
    softmax_of,
)
from model.traces import for_each_head, scaled_scores

_MOST_HELD = 32
"""Products that may become scores and have not: the oldest is forgotten."""
_PRODUCTS = ("matmul", "__matmul__", "bmm", "baddbmm", "einsum")
Step = Callable[[Tensor], Tensor]
Tell = Callable[[AttentionCall], tuple[Tensor, Tensor]]


class Product(NamedTuple):
    """A product of two tensors of the same leading axes."""

    left: Tensor
    """(..., row, inner)"""
    right: Tensor
    """(..., inner, column)"""
    asked: Tensor
    """The left one in the axes of the code that asks."""
    order: tuple[int, ...] | None = None
    """The product's axes as the code that asks for it has them; None: (..., row, column)."""
    step: Step | None = None
    """What is done to it besides."""


@dataclass(frozen=True, eq=False)
class Followed:
    """What became of a product so far."""

    root: Product
    shape: torch.Size
    """Of the product."""
    steps: tuple[Step, ...]
    """From the product to the softmax."""
    bends: bool = False
    """Whether one of them is a tanh."""
    is_weights: bool = False
    """Whether the softmax was there."""


class ByHand:
    """What one pass computes outside of torch's attention functions."""

    def __init__(self) -> None:
        self.saw_softmax = False
        self.batch = 1
        """Sequences that the pass is of."""
        self._held: OrderedDict[int, tuple[Tensor, Followed]] = OrderedDict()

    def run(self, func: Callable, args: tuple, kwargs: Mapping[str, Any], tell: Tell) -> Any:  # noqa: ANN401
        """Call a function of torch; where it ends an attention, tell that one, which answers."""
        name = getattr(func, "__name__", "")
        if "input" in kwargs:
            args, kwargs = (kwargs["input"], *args), {k: kwargs[k] for k in kwargs if k != "input"}
        product = weights = None
        if name in _PRODUCTS:
            flat = (x for arg in args for x in (arg if isinstance(arg, list | tuple) else (arg,)))
            found = (self._followed(x) for x in flat)
            weights = next((each for each in found if each and each.is_weights), None)
            product = _product(name, args, kwargs, mixes=weights is not None)
        result = func(*args, **kwargs)
        if product and weights and self._followed(product.asked) is weights:
            return self._mix(weights, product, result, tell)
        if product and isinstance(result, Tensor) and product.order is None:
            steps = (product.step,) if product.step else ()
            self._hold(result, Followed(product, result.shape, steps))
        else:
            self._follow(name, func, args, kwargs, result)
        return result

    def _followed(self, x: object) -> Followed | None:
        held, found = self._held.get(id(x), (None, None))
        return found if held is x else None

    def _hold(self, x: Tensor, followed: Followed) -> None:
        self._held[id(x)] = x, followed
        while len(self._held) > _MOST_HELD:
            self._held.popitem(last=False)

    def _follow(
        self, name: str, func: Callable, args: tuple, kwargs: Mapping[str, Any], result: object
    ) -> None:
        """Note what a function makes of a product, where it changes no more than its numbers."""
        self.saw_softmax |= name == "softmax"
        place = next((i for i, x in enumerate(args) if self._followed(x)), None)
        if place is None or not isinstance(result, Tensor):
            return
        x, found = args[place], self._followed(args[place])
        if found is None or result.shape[-2:] != x.shape[-2:] or result.numel() != x.numel():
            return
        if name == "softmax":
            dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
            if dim in (-1, x.dim() - 1) and not found.is_weights:
                self._hold(result, replace(found, is_weights=True))
        elif found.is_weights:
            self._hold(result, found)
        else:

            def step(y: Tensor) -> Tensor:
                return func(*args[:place], y, *args[place + 1 :], **kwargs)

            bends = found.bends or name in ("tanh", "tanh_")
            self._hold(result, replace(found, steps=(*found.steps, step), bends=bends))

    def _mix(self, found: Followed, product: Product, result: Tensor, tell: Tell) -> Tensor:
        """Record an attention, and return what its last product is to be."""
        for held in [key for key, (_, each) in self._held.items() if each.root is found.root]:
            del self._held[held]
        order = product.order
        plain = result if order is None else result.permute(_inverse(order))
        call = self._call(found, product, plain)
        if call is None:
            return result
        heads, _ = tell(call)
        heads = heads.reshape(plain.shape)
        return heads if order is None else heads.permute(order)

    def _call(self, found: Followed, product: Product, mixed: Tensor) -> AttentionCall | None:
        leading = product.left.shape[:-2]
        weights, own = (self._four_axes(x, leading) for x in (product.left, mixed))
        query, key, value = (
            self._four_axes(x, leading)
            for x in (found.root.left, found.root.right.transpose(-2, -1), product.right)
        )
        return read_attention(found, (query, key, value), weights, own)

    def _four_axes(self, x: Tensor, leading: Sequence[int]) -> Tensor:
        """Bring a tensor to (batch, head, position, size); `leading` are the first axes of weights.

        Of three axes the first may count heads as well, all of one sequence after another.
        """
        if len(leading) + 2 != x.dim() and math.prod(leading) == math.prod(x.shape[:-2]):
            x = x.reshape(*leading, *x.shape[-2:])
        if x.dim() == 3:
            merged = x.size(0) > self.batch and x.size(0) % self.batch == 0
            return x.unflatten(0, (self.batch, -1)) if merged else x.unsqueeze(1)
        return x[None, None] if x.dim() == 2 else x.flatten(0, -4)


def read_attention(
    found: Followed, given: tuple[Tensor, Tensor, Tensor], weights: Tensor, own: Tensor
) -> AttentionCall | None:
    """Return what an attention was asked for whose weights and heads are known.

    `given` are its queries, keys and values. None where the steps to its weights are more than
    scale, bias, cap and mask.
    """
    query, key, value = given
    n_heads = weights.size(1)
    if query.size(1) != n_heads or n_heads % key.size(1) or n_heads % value.size(1):
        return None
    terms = _terms(found, weights)
    if terms is None:
        return None
    mask, scale, bias, cap = terms
    if not is_softmax_of(weights, scaled_scores(query, key, scale, bias, cap), mask):
        return None

    def compute(
        q: Tensor, k: Tensor, v: Tensor, scores: Tensor | None, other: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        if q is query and k is key and scores is None and other is None:
            return (own if v is value else weights @ for_each_head(v, n_heads)), weights
        plain = scaled_scores(q, k, scale, bias, cap) if scores is None else scores
        made = softmax_of(plain, mask if other is None else other)
        return made @ for_each_head(v, n_heads), made

    return AttentionCall(query, key, value, mask, scale, bias, compute, cap)


def _terms(
    found: Followed, weights: Tensor
) -> tuple[Tensor, float, Tensor | None, float | None] | None:
    """Read mask, scale, bias and cap off the steps; None where these do more than that."""
    base = _again(found, weights, 0.0)
    if base is None:
        return None
    hidden = (base == -torch.inf) | ((base <= FAR_BELOW) & is_unread(weights, base))
    bias = base.masked_fill(hidden, 0)
    size = bias.abs().masked_fill(hidden, torch.inf).flatten()
    place = int(size.argmin())

    def gain(x: float) -> float:
        made = _again(found, weights, x)
        return math.nan if made is None else (made.flatten()[place] - base.flatten()[place]).item()

    cap = gain(1e30) if found.bends else None
    scale = gain(1e-3) / 1e-3 if found.bends else gain(1.0)
    if hidden.all() or not math.isfinite(scale):
        return None
    mask = once_for_equal(~hidden, (0, 1))
    added = once_for_equal(bias, (0,)).to(weights.dtype) if bias.any() else None
    return mask, scale, added, cap


@torch.no_grad()
def _again(found: Followed, weights: Tensor, score: float) -> Tensor | None:
    """Run the steps to the softmax on a product that is one number everywhere."""
    like = found.root.left
    wide = torch.promote_types(like.dtype, torch.float32)  # in 16 bits a bias would blur the scale
    x = torch.full(found.shape, score, dtype=wide, device=like.device)
    for step in found.steps:
        x = step(x)
    return x.reshape(weights.shape) if x.numel() == weights.numel() else None


def _product(name: str, args: tuple, kwargs: Mapping[str, Any], *, mixes: bool) -> Product | None:
    """Return which two tensors are multiplied; None where one of them is a weight."""
    if name == "einsum":
        operands = args[1] if len(args) == 2 and isinstance(args[1], list | tuple) else args[1:]
        return _einsum(args[0], operands, mixes=mixes) if isinstance(args[0], str) else None
    step: Step | None = None
    if name == "baddbmm":
        added, *args_left = (*args, kwargs.get("batch1"), kwargs.get("batch2"))
        beta, alpha = kwargs.get("beta", 1), kwargs.get("alpha", 1)
        args = tuple(x for x in args_left if x is not None)

        def scaled(x: Tensor) -> Tensor:
            return alpha * x + beta * added if beta else alpha * x

        step = scaled
    if len(args) != 2 or not _are_inner(args):
        return None
    return Product(args[0], args[1], args[0], step=step)


def _are_inner(operands: Sequence[object]) -> bool:
    """Return whether tensors were computed, and are no weights of a linear map."""
    return all(
        isinstance(x, Tensor) and not isinstance(x, nn.Parameter) and x.dim() > 1 for x in operands
    )


def _einsum(equation: str, operands: Sequence[object], *, mixes: bool) -> Product | None:
    """Read a product of two tensors off an equation, such as `bqhd,bkhd->bhqk`.

    Rows are the last axis but one of what it makes, or of the weights that it mixes by.
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
    return Product(
        _arranged(x, left, [*batch, row, *inner]),
        _arranged(y, right, [*batch, *inner, *columns]),
        x,
        None if order == tuple(range(len(order))) else order,
    )


def _arranged(x: Tensor, letters: str, wanted: Sequence[str]) -> Tensor:
    """Bring axes into an order; those that are not there have size 1."""
    there = x.permute([letters.index(a) for a in wanted if a in letters])
    return there[tuple(slice(None) if a in letters else None for a in wanted)]


def _inverse(order: Sequence[int]) -> list[int]:
    return sorted(range(len(order)), key=lambda i: order[i])
