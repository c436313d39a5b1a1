"""Reads attentions of `torch.nn.attention.flex_attention`, whose mask and scores are functions.

Loupe runs these functions on scores of 0 and of 1, like the steps of attention written out in code.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from model.foreign.recording.attention import AttentionCall, softmax_of
from model.foreign.recording.products import product_of
from model.foreign.recording.terms import Scored, read_attention
from model.traces import for_each_head, present


def read_flex(
    given: tuple[Tensor, Tensor, Tensor],
    change: Callable[..., Tensor],
    may_read: Callable[..., Tensor],
    scale: float,
    own: Tensor,
) -> AttentionCall | None:
    """Return the attention as a call; `own` are the heads that flex_attention computed.

    `change` computes a score from a score and the numbers of sequence, head, query and key, and
    `may_read` a boolean from these numbers. Returns None if scores are changed by more than scale,
    bias and cap.
    """
    from torch.nn.attention.flex_attention import create_mask

    query, key, _ = given
    keys = for_each_head(key, query.size(1)).transpose(-2, -1)
    product = (query @ keys).to(torch.promote_types(query.dtype, torch.float32))

    def step(x: Tensor) -> Tensor:
        def at(batch: Tensor, head: Tensor, row: Tensor, column: Tensor) -> Tensor:
            place = batch, head, row, column
            changed = change(x[place] * scale, *place)
            return torch.where(may_read(*place), changed, -torch.inf)

        return create_mask(at, *x.shape, device=x.device)  # works for numbers as for booleans

    weights = softmax_of(step(product), torch.ones_like(product, dtype=torch.bool)).to(query.dtype)
    far = step(torch.full_like(product, 1e30))
    bends = bool((far.isfinite() & (far.abs() < 1e20)).any())
    root = present(product_of("matmul", (query, keys), {}, mixes=False))
    return read_attention(Scored(root, product.shape, (step,), bends), given, weights, own)
