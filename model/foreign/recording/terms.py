"""Reads scale, bias, cap and mask of an attention from the steps applied to its products.

Loupe runs the steps between a product and its softmax again, on scores of 0 and of 1.
"""

import math
from collections import deque
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
from model.foreign.recording.products import Product, as_it_is
from model.foreign.recording.steps import Applied, Step
from model.traces import for_each_head, scaled_scores

_MOST_KNOWN = 4
"""The number of attentions whose terms are kept."""
Bring = Callable[[Tensor], Tensor | None]


@dataclass(frozen=True, eq=False)
class Scored:
    """A product, and the steps that lead from it to a softmax."""

    root: Product
    shape: torch.Size
    """The shape of the product."""
    steps: tuple[Step, ...]
    """The steps from the product to the softmax."""
    bends: bool = False
    """Whether one of the steps is a tanh."""


class Terms(NamedTuple):
    """The terms with which an attention computes its scores."""

    mask: Tensor
    scale: float
    bias: Tensor | None
    cap: float | None

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """Compute the scores of queries and keys with these terms."""
        return scaled_scores(query, key, self.scale, self.bias, self.cap)


class _Read(NamedTuple):
    """Terms read from some steps, and the facts that another attention must share to reuse them."""

    form: tuple
    steps: Sequence[Applied]
    terms: Terms


class KnownTerms:
    """The terms of the latest attentions; layers with equal steps need no second reading."""

    def __init__(self) -> None:
        self._read: deque[_Read] = deque(maxlen=_MOST_KNOWN)

    def terms_of(
        self, scored: Scored, softmax: Tensor, bring: Bring, arrangement: tuple
    ) -> Terms | None:
        """Return the result of `read_terms`; `arrangement` is all that determines `bring`."""
        like = scored.root.left
        form = (scored.shape, like.dtype, like.device, softmax.shape, softmax.dtype, *arrangement)
        steps = [step for step in scored.steps if isinstance(step, Applied)]
        for known in self._read:
            if known.form == form and _do_alike(known.steps, steps, len(scored.steps)):
                return known.terms
        terms, depends_on_softmax = read_terms(scored, softmax, bring)
        if terms is not None and not depends_on_softmax and len(steps) == len(scored.steps):
            self._read.appendleft(_Read(form, [step.copied() for step in steps], terms))
        return terms


def _do_alike(known: Sequence[Applied], steps: Sequence[Applied], count: int) -> bool:
    pairs = zip(known, steps, strict=False)
    return len(known) == len(steps) == count and all(a.does_as(b) for a, b in pairs)


def read_terms(scored: Scored, softmax: Tensor, bring: Bring) -> tuple[Terms | None, bool]:
    """Read the terms from the steps; None if the steps do more than such terms express.

    `softmax` is the output of the softmax, in four axes; `bring` brings a tensor of the shape of
    the scores to these axes. Also returns whether the numbers of the softmax influenced the terms.
    """
    base, one = (_again(scored, bring, x) for x in (0.0, 1e-3 if scored.bends else 1.0))
    if base is None or one is None or base.shape != softmax.shape:
        return None, False
    # A step that replaces a score by a number hides the score, however large the number is.
    hidden = (base == -torch.inf) | (one == base)
    low = (base <= FAR_BELOW) & ~hidden
    is_low = bool(low.any())
    if is_low:
        hidden |= low & is_unread(softmax, base)
    bias = base.masked_fill(hidden, 0)
    size = bias.abs().masked_fill_(hidden, torch.inf).flatten()
    place = int(size.argmin())
    if size[place] == torch.inf:  # everything is hidden
        return None, is_low

    def gain(made: Tensor | None) -> float:
        return math.nan if made is None else (made.flatten()[place] - base.flatten()[place]).item()

    cap = gain(_again(scored, bring, 1e30)) if scored.bends else None
    scale = gain(one) / 1e-3 if scored.bends else gain(one)
    if not math.isfinite(scale):
        return None, is_low
    mask = once_for_equal(~hidden, (0, 1))
    added = once_for_equal(bias, (0,)).to(softmax.dtype) if bias.any() else None
    return Terms(mask, scale, added, cap), is_low


def read_attention(
    scored: Scored, given: tuple[Tensor, Tensor, Tensor], weights: Tensor, own: Tensor
) -> AttentionCall | None:
    """Return the call of an attention whose weights and heads are known.

    `given` are its queries, keys and values. Returns None if the steps to its weights are more than
    scale, bias, cap and mask.
    """
    query, key, value = given
    n_heads = weights.size(1)
    terms = read_terms(scored, weights, as_it_is)[0] if fits(given, n_heads) else None
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
    """Return whether the heads of queries, keys and values fit this number of heads."""
    query, key, value = given
    return query.size(1) == n_heads and not n_heads % key.size(1) and not n_heads % value.size(1)


@torch.no_grad()
def _again(scored: Scored, bring: Bring, score: float) -> Tensor | None:
    """Run the steps to the softmax on a product with the same number everywhere."""
    like = scored.root.left
    wide = torch.promote_types(like.dtype, torch.float32)  # in 16 bits a bias would blur the scale
    x = torch.full(scored.shape, score, dtype=wide, device=like.device)
    for step in scored.steps:
        x = step(x)
    return bring(x)
