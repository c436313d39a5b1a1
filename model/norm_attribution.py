"""How long the vectors are that attention brings from each key (Kobayashi et al. 2020 and 2021).

A weight says how much of a key is taken, not how much there is of it: a large weight on a vector
near 0 brings nothing.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model.attention import MultiHeadAttention
from model.parts import find_attention, norm_after, norm_scale, parts_by_key, through_norm
from model.rollout import Mixing, Shares, walk
from model.traces import AttentionTrace, TransformerTrace, for_each_head, present
from model.transformer import Transformer


def value_weighted(trace: AttentionTrace) -> Float[Tensor, "query key"]:
    """Weights times the length of each value, ||alpha v||, the mean of the heads.

    The step of Kobayashi et al. 2020 (2004.10102) before the output projection.
    """
    lengths = for_each_head(trace.value, trace.weights.size(1))[0].norm(dim=-1)
    return (trace.weights[0] * lengths[:, None]).mean(dim=0)


def vector_norms(module: MultiHeadAttention, trace: AttentionTrace) -> Float[Tensor, "query key"]:
    """Length of what all heads together bring from a key, ||sum over heads of alpha f(x)||.

    f(x) = (x W^V + b^V) W^O, Kobayashi et al. 2020 (2004.10102), equation 5.
    """
    return parts_by_key(module, trace).sum(dim=0).norm(dim=-1)


@torch.inference_mode()
def cross_shares(
    model: Transformer, trace: TransformerTrace, layer: int
) -> Float[Tensor, "target source"]:
    """Share of each source token in one cross-attention with its residual connection and norm.

    Lengths of the parts after the norm, divided by the sum of all, the row's own included
    (Kobayashi et al. 2021, 2109.07152). Where the norm stands before, there is none to pass.
    """
    return _across(model, trace, layer).keys


@torch.inference_mode()
def norm_rollout(model: Transformer, trace: TransformerTrace) -> Shares:
    """Multiply those shares along all ways through both stacks, as `rollout` does weights."""

    def itself(stack: str, index: int, attention: AttentionTrace, x: Tensor) -> Mixing:
        return _mixing(model, f"{stack}.layers.{index}.self_attn", attention, x[0], across=False)

    return walk(
        trace,
        lambda i, layer: itself("encoder", i, layer.self_attn, layer.input),
        lambda i, layer: (
            itself("decoder", i, layer.self_attn, layer.input),
            _across(model, trace, i),
        ),
    )


def _across(model: Transformer, trace: TransformerTrace, index: int) -> Mixing:
    layer, name = present(trace.decoder).layers[index], f"decoder.layers.{index}.cross_attn"
    return _mixing(
        model, name, present(layer.cross_attn), present(layer.after_self_attn)[0], across=True
    )


def _mixing(
    model: Transformer,
    name: str,
    trace: AttentionTrace,
    residual: Float[Tensor, "query d_model"],
    *,
    across: bool,
) -> Mixing:
    """Give the share of each key; that of the row itself stands apart, or with its own key."""
    parts = parts_by_key(find_attention(model, name), trace).sum(dim=0)
    own, norm = residual, norm_after(model, name)
    if norm is not None:
        scale = norm_scale(norm, residual + trace.output[0])
        parts, own = through_norm(norm, parts, scale[:, None]), through_norm(norm, own, scale)
    if not across:
        rows = torch.arange(len(own))
        parts[rows, rows] += own
        own = torch.zeros_like(own)
    keys, left = parts.norm(dim=-1), own.norm(dim=-1)
    whole = keys.sum(dim=-1) + left
    return Mixing(keys / whole[:, None], left / whole)
