"""The attention of a run, kind by kind: its weights, and the tokens that they lie between."""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from loupe.run import Run, Tokens
from model.anatomy import Site, attention_in
from model.traces import AttentionTrace
from viz.run.record import AttentionKind, AxisText, axis_texts

MOST_CELLS = 1_500_000
"""Weights of all heads together that a picture holds: two bytes each before they are deflated."""


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
    found = [_heads(run, site) for site in run.anatomy.sites]
    share = sum(heads.weights.size for heads in found) / MOST_CELLS
    if share <= 1:
        return tuple(found)
    longest = max(max(heads.weights.shape[-2:]) for heads in found)
    side = math.floor(longest / math.sqrt(share))
    return tuple(
        heads._replace(weights=heads.weights[:, :, :side, :side], mask=heads.mask[:, :side, :side])
        for heads in found
    )


def _heads(run: Run, site: Site) -> Heads:
    attentions = [attention_in(run.trace, site.name, layer) for layer in range(site.layers)]
    weights = np.stack([each.weights[0].float().cpu().numpy() for each in attentions])
    queries, keys = axis_texts(site.name, site.rows)
    return Heads(
        kind=site.name,
        name=f"{site.stack}.layers.{{layer}}.{site.part}.weights",
        weights=weights,
        mask=np.stack([_mask(each) for each in attentions]),
        queries=queries,
        keys=keys,
        whole=(weights.shape[-2], weights.shape[-1]),
    )


def _mask(attention: AttentionTrace) -> Bool[np.ndarray, "query key"]:
    return attention.mask[0].expand(attention.weights.shape[-2:]).cpu().numpy()
