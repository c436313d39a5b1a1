"""One short forward pass of a model just opened: what every transformer must hold to, or a no."""

from collections.abc import Iterator

import torch
from torch import Tensor

from model.traces import AttentionTrace, TransformerTrace
from model.transformer import Transformer

_LENGTH = 8
_TOLERANCE = 1e-4
"""How far a row of weights may sum from 1, where the type of its numbers is not coarser yet."""


def check_itself(model: Transformer) -> None:
    """Raise ValueError unless numbers are finite and each row of attention weights sums to 1."""
    config = model.config
    with torch.inference_mode():
        trace = model(_ids(config.source_vocab_size), _ids(config.target_vocab_size))
    outputs = [trace.logits, *(stack.output for stack in (trace.encoder, trace.decoder) if stack)]
    if any(not output.isfinite().all() for output in outputs if output is not None):
        raise ValueError("its weights give infinite numbers or NaN for a short text")
    for weights in _weights(trace):
        off = (weights.sum(dim=-1) - 1).abs().max().item()
        if not off <= max(_TOLERANCE, torch.finfo(weights.dtype).eps):
            raise ValueError(f"a row of its attention weights sums to 1 only within {off:.2g}")


def _ids(vocab_size: int) -> Tensor | None:
    """Return a few ids, spread over a vocabulary; None if there is none."""
    if not vocab_size:
        return None
    return torch.linspace(0, vocab_size - 1, _LENGTH).long()[None]


def _weights(trace: TransformerTrace) -> Iterator[Tensor]:
    for stack in (trace.encoder, trace.decoder):
        for layer in stack.layers if stack else ():
            for part in (layer.self_attn, getattr(layer, "cross_attn", None)):
                if isinstance(part, AttentionTrace):
                    yield part.weights
