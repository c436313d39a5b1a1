"""The attention of a run, kind by kind: its weights, and the tokens that they lie between."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from loupe.run import Run, Tokens
from model.traces import AttentionTrace
from viz.run.record import AttentionKind, AxisText

MOST_CELLS = 1_500_000
"""Weights of all heads together that a picture holds: two bytes each before they are deflated."""

_PLACES: Mapping[AttentionKind, tuple[str, str]] = {
    "encoder self-attention": ("encoder", "self_attn"),
    "decoder self-attention": ("decoder", "self_attn"),
    "cross-attention": ("decoder", "cross_attn"),
}


class Heads(NamedTuple):
    """All heads of one kind of attention, as far as a picture shows them."""

    kind: AttentionKind
    name: str
    """Of the weights in the record, with `{layer}` in the place of a layer's number."""
    weights: Float[np.ndarray, "layer head query key"]
    mask: Bool[np.ndarray, "layer query key"]
    queries: AxisText
    keys: AxisText
    whole: tuple[int, int]
    """Rows and columns of the record, of which these are the first."""

    def names(self, tokens: Tokens) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name the rows and the columns by tokens."""
        sides = zip((self.queries, self.keys), self.weights.shape[-2:], strict=True)
        rows, columns = (getattr(tokens, side)[at : at + size] for (side, at), size in sides)
        return rows, columns


def heads_of(run: Run) -> tuple[Heads, ...]:
    """Find all kinds of attention that a run has, from the encoder on.

    Of a long text the first tokens, as many as there is room for.
    """
    found = [heads for kind in _PLACES if (heads := _heads(run, kind))]
    share = sum(heads.weights.size for heads in found) / MOST_CELLS
    if share <= 1:
        return tuple(found)
    longest = max(max(heads.weights.shape[-2:]) for heads in found)
    side = math.floor(longest / math.sqrt(share))
    return tuple(
        heads._replace(weights=heads.weights[:, :, :side, :side], mask=heads.mask[:, :side, :side])
        for heads in found
    )


def _heads(run: Run, kind: AttentionKind) -> Heads | None:
    stack, part = _PLACES[kind]
    layers = getattr(getattr(run.trace, stack), "layers", ())
    attentions = [found for layer in layers if (found := getattr(layer, part))]
    if not attentions:
        return None
    queries, keys = _axes(run, kind)
    return Heads(
        kind=kind,
        name=f"{stack}.layers.{{layer}}.{part}.weights",
        weights=np.stack([each.weights[0].float().cpu().numpy() for each in attentions]),
        mask=np.stack([_mask(each) for each in attentions]),
        queries=queries,
        keys=keys,
        whole=(attentions[0].weights.size(-2), attentions[0].weights.size(-1)),
    )


def _mask(attention: AttentionTrace) -> Bool[np.ndarray, "query key"]:
    return attention.mask[0].expand(attention.weights.shape[-2:]).cpu().numpy()


def _axes(run: Run, kind: AttentionKind) -> tuple[AxisText, AxisText]:
    """Say of which text the rows and the columns are, and with which of its tokens they begin.

    Where two texts meet, a row of the decoder is named after the token that it writes.
    """
    if kind == "encoder self-attention":
        return ("source", 0), ("source", 0)
    writes = 1 if run.tokens.source else 0
    return ("target", writes), ("source" if kind == "cross-attention" else "target", 0)
