"""One checkpoint of each variant of a task, and the gradients of deep models, computed once."""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float
from torch.nn import functional

from model.config import NormPlacement
from model.presets import PRESETS, preset
from model.traces import present
from model.transformer import Transformer
from viz.models.own_checkpoints import checkpoint_names, info_of
from viz.run.result_cache import cached

_DEEP_LAYERS = 12


def checkpoints_by_variant(task: str) -> dict[str, str]:
    """Return the first checkpoint of each variant of a task; broken ones are left out."""
    found: dict[str, str] = {}
    for name in checkpoint_names():
        info = info_of(name)
        if info and info.task == task and info.variant in PRESETS:
            found.setdefault(info.variant, name)
    return {variant: found[variant] for variant in PRESETS if variant in found}


@cached
def deep_gradients() -> Mapping[str, Float[np.ndarray, " layer"]]:
    """Compute the gradients of a new deep decoder, for each place of its norms."""
    return {placement: gradient_lengths(placement, _DEEP_LAYERS) for placement in ("post", "pre")}


def gradient_lengths(placement: NormPlacement, n_layers: int) -> Float[np.ndarray, " layer"]:
    """Compute the gradients of a new decoder with d_model 64, for a loss on random ids.

    The norm comes after or before the sublayer. For each layer, this returns the norm of the
    gradient of its first feed-forward weights, on one random batch.
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
