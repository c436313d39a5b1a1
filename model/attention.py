"""Multi-head attention (section 3.2 of the paper)."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from model.dropout import Dropout
from model.edits import NO_EDITS, Edits
from model.linear import Linear
from model.positions import turn
from model.traces import AttentionTrace, for_each_head, scaled_scores


class KeyValue(NamedTuple):
    """The keys and values of earlier positions, as a cache keeps them."""

    key: Float[Tensor, "batch kv_head key d_k"]
    value: Float[Tensor, "batch kv_head key d_v"]


class Where(NamedTuple):
    """Position information that an attention receives apart from its input."""

    angles: Float[Tensor, "query pair"] | None = None
    """The angles by which rotary positions rotate the new queries and keys."""
    bias: Float[Tensor, "1 head query key"] | None = None
    """The bias added to the scores."""


NOWHERE = Where()


class MultiHeadAttention(nn.Module):
    """Scaled dot-product attention in `n_heads` parallel heads.

    The computation is written out because `F.scaled_dot_product_attention` does not return the
    weights. Head i has rows i * d_k to (i + 1) * d_k of the query and key projections, rows
    i * d_v to (i + 1) * d_v of the value projection, and the same columns of the output
    projection. If `n_kv_heads` is smaller, several query heads share a head of keys and values.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_k: int,
        d_v: int,
        *,
        n_kv_heads: int | None = None,
        scale: float | None = None,
        bias: bool = True,
        output_bias: bool = True,
        mask_fill: float = -torch.inf,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads or n_heads
        self.scale = d_k**-0.5 if scale is None else scale
        self.mask_fill = mask_fill
        self.query = Linear(d_model, n_heads * d_k, bias=bias)
        self.key = Linear(d_model, self.n_kv_heads * d_k, bias=bias)
        self.value = Linear(d_model, self.n_kv_heads * d_v, bias=bias)
        self.output = Linear(n_heads * d_v, d_model, bias=bias and output_bias)
        self.dropout = Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch memory d_model"] | None,
        mask: Bool[Tensor, "#batch #query key"],
        *,
        past: KeyValue | None = None,
        where: Where = NOWHERE,
        edits: Edits = NO_EDITS,
    ) -> AttentionTrace:
        """Let each position of `x` read from `memory`; in self-attention both are the same.

        With `past`, the keys and values of earlier positions precede those of `memory`; if `memory`
        is None, they are the only ones. An edit of keys or values sees only the new ones; an edit
        of the mask sees it for each sentence and query, even if one row serves all.
        """
        query = self._split_heads(self.query(x), self.n_heads)
        query = edits.apply("query", turn(query, where.angles))
        key, value = self._keys_and_values(memory, past, where, edits)
        if edits.touches("mask"):
            mask = edits.apply("mask", mask.expand(x.size(0), x.size(1), -1))

        scores = scaled_scores(query, key, self.scale, where.bias)
        edited_scores = None
        if edits.touches("scores"):
            edited_scores = edits.apply("scores", scores)
            weights = softmax_of_edited(edited_scores, mask, self.mask_fill)
        else:
            weights = softmax_in_place(scores, mask, self.mask_fill)
        weights = edits.apply("weights", weights)
        mixed = self.dropout(weights) @ for_each_head(value, self.n_heads)
        heads = edits.apply("heads", mixed)
        output = edits.apply("output", self.output(heads.transpose(1, 2).flatten(start_dim=2)))

        return AttentionTrace(
            query=query,
            key=key,
            value=value,
            scale=self.scale,
            bias=where.bias,
            edited_scores=edited_scores,
            mask=mask,
            weights=weights,
            heads=heads,
            output=output,
        )

    def _keys_and_values(
        self,
        memory: Float[Tensor, "batch memory d_model"] | None,
        past: KeyValue | None,
        where: Where,
        edits: Edits,
    ) -> KeyValue:
        if memory is None:
            if past is None:
                raise ValueError("attention needs a memory to read, or keys and values of the past")
            return past
        edits = edits.at(past.key.size(2) if past else 0)
        key = turn(self._split_heads(self.key(memory), self.n_kv_heads), where.angles)
        key = edits.apply("key", key)
        value = edits.apply("value", self._split_heads(self.value(memory), self.n_kv_heads))
        if past is None:
            return KeyValue(key, value)
        return KeyValue(torch.cat([past.key, key], dim=2), torch.cat([past.value, value], dim=2))

    def _split_heads(
        self, x: Float[Tensor, "batch position d_model"], n_heads: int
    ) -> Float[Tensor, "batch head position d_k"]:
        return x.view(*x.shape[:-1], n_heads, -1).transpose(1, 2)


def masked_scores(
    scores: Float[Tensor, "batch head query key"],
    mask: Bool[Tensor, "#batch #query key"],
    fill: float,
) -> Float[Tensor, "batch head query key"]:
    """Replace masked scores by `fill`; all heads share the mask."""
    return scores.masked_fill(~mask.unsqueeze(1), fill)


def softmax_of_edited(
    scores: Float[Tensor, "batch head query key"],
    mask: Bool[Tensor, "#batch #query key"],
    fill: float,
) -> Float[Tensor, "batch head query key"]:
    """Compute the softmax of scores, some of which an edit may have set to -inf.

    A query whose keys are all hidden by edits reads nothing, whatever value fills masked places.
    """
    weights = masked_scores(scores, mask, fill).softmax(dim=-1)
    hidden = scores == -torch.inf
    is_left = (mask.unsqueeze(1) & ~hidden).any(dim=-1, keepdim=True)
    return weights.masked_fill(hidden.any(dim=-1, keepdim=True) & ~is_left, 0.0)


def softmax_in_place(
    scores: Float[Tensor, "batch head query key"],
    mask: Bool[Tensor, "#batch #query key"],
    fill: float,
) -> Float[Tensor, "batch head query key"]:
    """Compute the softmax of the masked scores in place (equation 1, between the two products).

    The scores are the largest tensors of a forward pass, and copying them twice would take longer
    than the softmax itself. Only training needs a separate tensor.
    """
    if not mask.all():
        hidden = ~mask.unsqueeze(1)
        if fill == -torch.inf:  # equals masked_fill_ for finite scores, and is four times as fast
            scores.add_(scores.new_zeros(hidden.shape).masked_fill_(hidden, fill))
        else:
            scores.masked_fill_(hidden, fill)
    if torch.is_grad_enabled():
        return scores.softmax(dim=-1)
    return torch.softmax(scores, dim=-1, out=scores)
