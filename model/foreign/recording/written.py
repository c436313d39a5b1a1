"""Describes attention written out in code in the terms of a record: one mix, or several joined.

From the numbers of each pass, Loupe proves that the softmax is one of scaled products of queries
and keys, and that each weight follows from its own number of the softmax.
"""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor

from model.foreign.recording.arrangement import Arranged, Arrangement
from model.foreign.recording.attention import AttentionCall, View, is_softmax_of, once_for_equal
from model.foreign.recording.computed_again import ComputedAgain
from model.foreign.recording.mixes import Mix, keeps_rows
from model.foreign.recording.products import as_it_is
from model.foreign.recording.steps import Step
from model.foreign.recording.tape import Tape
from model.foreign.recording.terms import KnownTerms, Terms, fits


def call_of(arrangement: Arrangement, tape: Tape | None, known: KnownTerms) -> AttentionCall | None:
    """Return an attention as a call; None if a record cannot describe it."""
    view = partial(_view, arrangement, tape)
    views = {
        "query": view(lambda m: (m.scored.root.asked, m.scored.root.bring_left)),
        "key": view(lambda m: (m.scored.root.other, _Turned(m.scored.root.bring_right)), once=True),
        "value": view(lambda m: (m.product.other, m.product.bring_right), once=True),
        "weights": view(lambda m: (m.product.asked, m.product.bring_left), deep=False),
        "heads": view(lambda m: (m.result, m.layout.own), deep=False),
    }
    query, key, value, weights = (views[name].made for name in ("query", "key", "value", "weights"))
    if weights.dim() != 4 or not fits((query, key, value), weights.size(1)):
        return None
    terms = _terms(arrangement, known)
    if terms is None:
        return None
    again = ComputedAgain(arrangement, tape, views, terms)
    return AttentionCall(
        query=query,
        key=key,
        value=value,
        mask=terms.mask,
        scale=terms.scale,
        bias=terms.bias,
        compute=again.compute,
        softcap=terms.cap,
        views=views,
        bias_after=again.bias_after,
        turned=arrangement.places is not None and arrangement.places.turned,
        is_unsplit=arrangement.is_unsplit and weights.size(1) > 1,
    )


class _Turned:
    """Brings the right factor of a product to (..., column, inner)."""

    def __init__(self, bring: Step) -> None:
        self._bring = bring

    def __call__(self, x: Tensor) -> Tensor:
        return self._bring(x).mT


def _view(
    arrangement: Arrangement,
    tape: Tape | None,
    of: Callable[[Mix], tuple[Tensor, Step]],
    *,
    once: bool = False,
    deep: bool = True,
) -> View:
    """Return a part of the record as a view of the code's tensors; with `once`, rows share it."""
    mixes = arrangement.mixes
    parts = []
    for mix in mixes[:1] if once and arrangement.by_rows else mixes:
        x, bring = of(mix)
        base, chain = tape.base_of(x) if tape is not None and deep else (x, as_it_is)
        parts.append(Arranged(mix, base, chain, bring))
    together = partial(arrangement.together, parts)
    tensors = tuple(part.tensor for part in parts)
    return View(tensors, together, together(*tensors))


@torch.no_grad()
def _terms(arrangement: Arrangement, known: KnownTerms) -> Terms | None:
    """Return the common terms of all mixes; None unless each softmax is one of such scores."""
    found: list[tuple[Terms, Tensor]] = []
    for mix in arrangement.mixes:
        soft = arrangement.weights_like(mix, mix.softmax.gave)
        if soft is None:
            return None
        # The softmax may be finer than 16 bits, but its scores are not.
        soft = soft.to(mix.product.asked.dtype)
        bring = partial(arrangement.weights_like, mix)
        terms = known.terms_of(mix.scored, soft, bring, arrangement.form(mix))
        if terms is None or not _is_one_attention(arrangement, mix, soft, terms):
            return None
        found.append((terms, soft))
    return found[0][0] if arrangement.is_one else _joined(arrangement, found)


def _joined(arrangement: Arrangement, found: Sequence[tuple[Terms, Tensor]]) -> Terms | None:
    """Join the terms of several mixes into those of one attention; None if they differ."""
    first = found[0][0]
    if any(abs(t.scale - first.scale) > 1e-4 * abs(first.scale) for t, _ in found):
        return None
    if any((t.cap is None) != (first.cap is None) for t, _ in found):
        return None
    masks = [t.mask.expand(soft.shape) for t, soft in found]
    bias = None
    if any(t.bias is not None for t, _ in found):
        zero = first.mask.new_zeros((), dtype=found[0][1].dtype)
        bias = arrangement.join(
            [(zero if t.bias is None else t.bias).expand(soft.shape) for t, soft in found]
        )
    return Terms(once_for_equal(arrangement.join(masks), (0, 1)), first.scale, bias, first.cap)


def _is_one_attention(arrangement: Arrangement, mix: Mix, soft: Tensor, terms: Terms) -> bool:
    """Return whether the softmax is one of scaled products, and each weight follows from it."""
    root = mix.scored.root
    query = arrangement.four(mix, root.left)
    key = arrangement.four(mix, root.right.mT)
    if not fits((query, key, key), query.size(1)):
        return False
    if not is_softmax_of(soft, terms.scores(query, key), terms.mask):
        return False
    own = arrangement.weights_like(mix, mix.product.asked)
    return own is not None and (torch.equal(soft, own) or keeps_rows(mix))
