"""Scale, bias, cap and mask of an attention, read off the steps applied to its products.

The steps between a product and its softmax are run again on scores of 0 and of 1.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from model.foreign.recording.attention import (
    FAR_BELOW,
    AttentionCall,
    is_softmax_of,
    is_unread,
    once_for_equal,
    softmax_of,
)
from model.foreign.recording.products import Product, Step
from model.traces import for_each_head, scaled_scores

Bring = Callable[[Tensor], Tensor | None]


@dataclass(frozen=True, eq=False)
class Scored:
    """What became of a product so far, on its way to a softmax."""

    root: Product
    shape: torch.Size
    """The shape of the product."""
    steps: tuple[Step, ...]
    """From the product to the softmax."""
    bends: bool = False
    """Whether one of them is a tanh."""


class Terms(NamedTuple):
    """What scaled scores are made with."""

    mask: Tensor
    scale: float
    bias: Tensor | None
    cap: float | None

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """Compute the scores that queries and keys have by these terms."""
        return scaled_scores(query, key, self.scale, self.bias, self.cap)


def terms_of(scored: Scored, softmax: Tensor, bring: Bring) -> Terms | None:
    """Read the terms off the steps; None if the steps do more than such terms express.

    `softmax` is the output of the softmax, in four axes; `bring` brings a tensor of the shape of
    the scores to these axes.
    """
    base, one = (_again(scored, bring, x) for x in (0.0, 1e-3 if scored.bends else 1.0))
    if base is None or one is None or base.shape != softmax.shape:
        return None
    # A step that replaces a score by a number hides the score, however large the number is.
    hidden = (base == -torch.inf) | (one == base)
    hidden |= (base <= FAR_BELOW) & is_unread(softmax, base)
    bias = base.masked_fill(hidden, 0)
    size = bias.abs().masked_fill(hidden, torch.inf).flatten()
    place = int(size.argmin())

    def gain(x: float) -> float:
        made = _again(scored, bring, x)
        return math.nan if made is None else (made.flatten()[place] - base.flatten()[place]).item()

    cap = gain(1e30) if scored.bends else None
    scale = gain(1e-3) / 1e-3 if scored.bends else gain(1.0)
    if hidden.all() or not math.isfinite(scale):
        return None
    mask = once_for_equal(~hidden, (0, 1))
    added = once_for_equal(bias, (0,)).to(softmax.dtype) if bias.any() else None
    return Terms(mask, scale, added, cap)


def read_attention(
    scored: Scored, given: tuple[Tensor, Tensor, Tensor], weights: Tensor, own: Tensor
) -> AttentionCall | None:
    """Return the call of an attention whose weights and heads are known.

    `given` are its queries, keys and values. Returns None if the steps to its weights are more than
    scale, bias, cap and mask.
    """
    query, key, value = given
    n_heads = weights.size(1)
    terms = terms_of(scored, weights, lambda x: x) if fits(given, n_heads) else None
    if terms is None or not is_softmax_of(weights, terms.scores(query, key), terms.mask):
        return None

    def compute(
        q: Tensor, k: Tensor, v: Tensor, scores: Tensor | None, other: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        if q is query and k is key and scores is None and other is None:
            return (own if v is value else weights @ for_each_head(v, n_heads)), weights
        plain = terms.scores(q, k) if scores is None else scores
        made = softmax_of(plain, terms.mask if other is None else other)
        return made @ for_each_head(v, n_heads), made

    mask, scale, bias, cap = terms
    return AttentionCall(query, key, value, mask, scale, bias, compute, cap)


def fits(given: Sequence[Tensor], n_heads: int) -> bool:
    """Return whether queries, keys and values are those of so many heads."""
    query, key, value = given
    return query.size(1) == n_heads and not n_heads % key.size(1) and not n_heads % value.size(1)


@torch.no_grad()
def _again(scored: Scored, bring: Bring, score: float) -> Tensor | None:
    """Run the steps to the softmax on a product that is one number everywhere."""
    like = scored.root.left
    wide = torch.promote_types(like.dtype, torch.float32)  # in 16 bits a bias would blur the scale
    x = torch.full(scored.shape, score, dtype=wide, device=like.device)
    for step in scored.steps:
        x = step(x)
    return bring(x)
