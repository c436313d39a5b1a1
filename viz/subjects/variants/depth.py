"""Pre- against post-norm: the residual stream of trained models, and gradients of deep new ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch.nn import functional

from model.checkpoints.checkpoint import Checkpoint
from model.config import NormPlacement
from model.presets import preset
from model.traces import present
from model.transformer import Transformer
from viz.subjects.variants.material import Material, source_ids, target_ids

DEEP_LAYERS = 12
_SENTENCES = 8


@dataclass(frozen=True, eq=False)
class Depth:
    """What a norm after or before the sublayer does with depth. Layers count from 0."""

    placements: Mapping[str, NormPlacement]
    """By variant."""
    streams: Mapping[str, Float[np.ndarray, " layer"]]
    """By variant, mean length of the decoder's residual stream: what layer 0 reads, then the output
    of each layer, before any final norm."""
    gradients: Mapping[str, Float[np.ndarray, " deep_layer"]]
    """By placement, of a new deep model: length of the gradient of each decoder layer's first
    feed-forward weights, at one random batch."""


def compare_depth(material: Material) -> Depth:
    """Measure the trained variants' streams, and the gradients of new deep models."""
    checkpoints = material.checkpoints
    return Depth(
        placements={name: c.model.config.norm_placement for name, c in checkpoints.items()},
        streams={
            name: stream_lengths(c, material.pairs[:_SENTENCES]) for name, c in checkpoints.items()
        },
        gradients={
            placement: gradient_lengths(placement, DEEP_LAYERS) for placement in ("post", "pre")
        },
    )


@torch.inference_mode()
def stream_lengths(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]]
) -> Float[np.ndarray, " layer"]:
    """Mean length of what flows into the decoder's first layer and out of each, over all tokens."""
    lengths: list[torch.Tensor] = []
    for source, target in pairs:
        ids = source_ids(checkpoint, source), target_ids(checkpoint, target)[:, :-1]
        layers = checkpoint.model(*ids).decoder.layers
        stream = torch.cat([layers[0].input, *(layer.output for layer in layers)])
        lengths.append(stream.norm(dim=-1))
    return torch.cat(lengths, dim=1).double().mean(dim=1).cpu().numpy()


def gradient_lengths(placement: NormPlacement, n_layers: int) -> Float[np.ndarray, " layer"]:
    """Gradients of the decoder of a new model with d_model 64, of a loss on random ids."""
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
