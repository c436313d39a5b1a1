"""The weights of a run as a picture shows them: all heads of each kind of attention."""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from loupe.records import Attentions, attentions_in
from loupe.run import Run, Tokens
from viz.run.record import AttentionKind, AxisText

MOST_CELLS = 1_500_000
"""Weights of all heads together that a picture holds: two bytes each before they are deflated."""


class Heads(NamedTuple):
    """All heads of one kind of attention, as far as a picture shows them."""

    kind: AttentionKind
    name: str
    """Of the weights in the record, with `{layer}` in the place of a layer's number."""
    weights: Float[np.ndarray, "layer head query key"]
    mask: Bool[np.ndarray, "layer query key"]
    """True where some head may read."""
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
    found = [_heads(attentions) for attentions in attentions_in(run.record, writes=run.writes)]
    share = sum(heads.weights.size for heads in found) / MOST_CELLS
    if share <= 1:
        return tuple(found)
    longest = max(max(heads.weights.shape[-2:]) for heads in found)
    side = math.floor(longest / math.sqrt(share))
    return tuple(
        heads._replace(weights=heads.weights[:, :, :side, :side], mask=heads.mask[:, :side, :side])
        for heads in found
    )


def _heads(attentions: Attentions) -> Heads:
    weights = np.stack([each.weights[0].float().cpu().numpy() for each in attentions.layers])
    masks = [
        each.mask.expand_as(each.weights[:, 0])
        if each.mask.dim() == 3
        else each.mask.expand_as(each.weights).any(dim=1)
        for each in attentions.layers
    ]
    return Heads(
        kind=attentions.kind,
        name=attentions.name,
        weights=weights,
        mask=np.stack([mask[0].cpu().numpy() for mask in masks]),
        queries=attentions.queries,
        keys=attentions.keys,
        whole=(weights.shape[-2], weights.shape[-1]),
    )
