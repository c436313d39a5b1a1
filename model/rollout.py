"""Attention along all ways from the source to a row of the decoder (Abnar & Zuidema 2020).

"Quantifying Attention Flow in Transformers", 2005.00928.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from model.traces import (
    AttentionTrace,
    DecoderLayerTrace,
    EncoderLayerTrace,
    TransformerTrace,
    present,
)


class Shares(NamedTuple):
    """Where each row of the decoder comes from: over both texts, a row sums to 1."""

    source: Float[Tensor, "target source"]
    target: Float[Tensor, "target target"]


class Mixing(NamedTuple):
    """What a sublayer mixes into each row: from the keys, and from the row itself across."""

    keys: Float[Tensor, "query key"]
    own: Float[Tensor, " query"]
    """Of the residual connection where the keys are another text; else it is among the keys."""


EncoderMixing = Callable[[int, EncoderLayerTrace], Mixing]
DecoderMixing = Callable[[int, DecoderLayerTrace], tuple[Mixing, Mixing]]


def mean_weights(trace: TransformerTrace, layer: int) -> Float[Tensor, "target source"]:
    """Give the weights of cross-attention in a layer, the mean of its heads."""
    return present(present(trace.decoder).layers[layer].cross_attn).weights[0].mean(dim=0)


def rollout(trace: TransformerTrace) -> Shares:
    """Multiply attention along all ways through both stacks, half of each row being itself.

    Abnar and Zuidema define it for one stack. Across, half of a row comes from the memory and half
    from the target side.
    """
    return walk(
        trace,
        lambda _, layer: _half(layer.self_attn),
        lambda _, layer: (_half(layer.self_attn), _half(present(layer.cross_attn), across=True)),
    )


def walk(trace: TransformerTrace, encoder: EncoderMixing, decoder: DecoderMixing) -> Shares:
    """Multiply what each sublayer mixes, from the embeddings up to the last layer of the decoder.

    Feed-forward networks mix no positions.
    """
    like = present(trace.encoder).output
    memory = torch.eye(like.size(1), dtype=like.dtype)
    for index, layer in enumerate(present(trace.encoder).layers):
        memory = encoder(index, layer).keys @ memory
    length = present(trace.decoder).output.size(1)
    shares = Shares(like.new_zeros(length, like.size(1)), torch.eye(length, dtype=like.dtype))
    for index, layer in enumerate(present(trace.decoder).layers):
        itself, across = decoder(index, layer)
        shares = Shares(itself.keys @ shares.source, itself.keys @ shares.target)
        own = across.own[:, None]
        shares = Shares(own * shares.source + across.keys @ memory, own * shares.target)
    return shares


def _half(attention: AttentionTrace, *, across: bool = False) -> Mixing:
    keys = 0.5 * attention.weights[0].mean(dim=0)
    if not across:
        keys = keys + 0.5 * torch.eye(len(keys), dtype=keys.dtype)
    return Mixing(keys, keys.new_full((len(keys),), 0.5))
