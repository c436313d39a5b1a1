"""Gradients of deep new models, with the norm after or before the sublayer."""

import numpy as np
import torch
from jaxtyping import Float
from torch.nn import functional

from model.config import NormPlacement
from model.presets import preset
from model.traces import present
from model.transformer import Transformer

DEEP_LAYERS = 12


def gradient_lengths(placement: NormPlacement, n_layers: int) -> Float[np.ndarray, " layer"]:
    """Gradients of the decoder of a new model with d_model 64, of a loss on random ids.

    Of each layer the length of that of its first feed-forward weights, at one random batch.
    """
    config = preset(
        "paper",
        source_vocab_size=100,
        target_vocab_size=100,
        d_model=64,
        d_ff=256,
        n_heads=4,
        n_encoder_layers=n_layers,
        n_decoder_layers=n_layers,
        norm_placement=placement,
        final_norm=placement == "pre",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = Transformer(config).eval()
        source, target, following = torch.randint(3, 100, (3, 8, 12)).unbind()
    logits = model(source, target).logits
    functional.cross_entropy(logits.flatten(0, 1), following.flatten()).backward()
    gradients = [
        parameter.grad.norm().item()
        for name, parameter in present(model.decoder).named_parameters()
        if name.endswith("feed_forward.expand.weight") and parameter.grad is not None
    ]
    return np.array(gradients)
