"""The attention of transformers in the terms of a record: its mask, its bias, its scores."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.huggingface.attention import AttentionCall
from model.traces import for_each_head, scaled_scores


@dataclass(frozen=True, eq=False)
class Terms:
    """What an attention's scores are made of besides queries and keys."""

    mask: Bool[Tensor, "#batch #query key"]
    scale: float
    bias: Float[Tensor, "#batch #head #query key"] | None
    cap: float | None
    """What scaled products are bent to stay within (Gemma 2)."""


def terms_of(call: AttentionCall) -> Terms:
    """Read them from what the attention was asked."""
    scale = call.options.get("scaling")
    mask, bias = _mask_and_bias(call)
    return Terms(
        mask=mask,
        scale=call.query.size(-1) ** -0.5 if scale is None else float(scale),
        bias=bias,
        cap=call.options.get("softcap"),
    )


def _mask_and_bias(call: AttentionCall) -> tuple[Tensor, Tensor | None]:
    bias = call.options.get("position_bias")
    if bias is not None and not bias.any():
        bias = None
    if call.added is None:
        n_keys = call.key.size(2)
        return torch.ones(1, 1, n_keys, dtype=torch.bool, device=call.query.device), bias
    may_read = call.added > torch.finfo(call.added.dtype).min / 2
    more = call.added.masked_fill(~may_read, 0)
    if more.any():
        bias = more if bias is None else bias + more
    return may_read.all(dim=1), bias


def scores_of(
    query: Float[Tensor, "batch head query d_k"],
    key: Float[Tensor, "batch kv_head key d_k"],
    terms: Terms,
) -> Float[Tensor, "batch head query key"]:
    """Scores before the mask."""
    return scaled_scores(query, key, terms.scale, terms.bias, terms.cap)


def mixed(
    weights: Float[Tensor, "batch head query key"],
    value: Float[Tensor, "batch kv_head key d_v"],
) -> Float[Tensor, "batch head query d_v"]:
    """Each head's mix of the values that it reads."""
    return weights @ for_each_head(value, weights.size(1))


def added_for(
    call: AttentionCall,
    mask: Bool[Tensor, "#batch #query key"],
    new: Bool[Tensor, "#batch #query key"],
) -> Float[Tensor, "batch 1 query key"]:
    """What to add to the scores so that `new` is the mask, where it was `mask`."""
    lowest = torch.finfo(call.query.dtype).min
    batch, _, n_queries, _ = call.query.shape
    added = call.added
    if added is None:
        added = call.query.new_zeros(1, 1, n_queries, call.key.size(2))
    added = added.expand(batch, -1, n_queries, -1).clone()
    added = added.masked_fill((new & ~mask).unsqueeze(1), 0)
    return added.masked_fill(~new.unsqueeze(1), lowest)


def is_softmax_of(
    weights: Float[Tensor, "batch head query key"],
    scores: Float[Tensor, "batch head query key"],
    mask: Bool[Tensor, "#batch #query key"],
) -> bool:
    """Tell whether weights are the softmax of the masked scores.

    Rows may sum to less than 1: attention sinks take a share of a row and read nothing for it.
    """
    lowest = torch.finfo(scores.dtype).min
    softmax = scores.masked_fill(~mask.unsqueeze(1), lowest).float().softmax(dim=-1)
    expected = softmax * weights.float().sum(dim=-1, keepdim=True)
    tolerance = 1e-4 if weights.dtype == torch.float32 else 2e-2
    return bool(((weights.float() - expected).abs() <= tolerance).all())
