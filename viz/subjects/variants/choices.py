"""What a checkpoint can be asked to become: one field changed, or another variant."""

import math
from collections.abc import Mapping
from typing import Any

from model.config import TransformerConfig
from model.presets import PRESETS
from texts import say, say_of

PAPER = "paper"
MOST_TELLING = "headlist"
"""Compared with the paper's to begin with, where the checkpoint in view is the paper's."""

_SINGLE: dict[str, Mapping[str, Any]] = {
    "logits": {"output": "logits"},
    "log_softmax": {"output": "log_softmax"},
    "softmax": {"output": "softmax"},
    "layer_norm": {"norm": "layer", "norm_eps": 1e-5},
    "unbiased_std": {"norm": "unbiased_std", "norm_eps": 1e-6},
    "norm_before": {"norm_placement": "pre"},
    "norm_after": {"norm_placement": "post"},
    "biases": {"attention_bias": True},
    "no_biases": {"attention_bias": False},
    "untied": {"tying": "none"},
    "tied": {"tying": "all"},
    "unscaled_untied": {"scale_embeddings": False, "tying": "none"},
    "unscaled": {"scale_embeddings": False},
    "scaled": {"scale_embeddings": True},
    "large_fill": {"mask_fill": -1e9},
    "infinite_fill": {"mask_fill": -math.inf},
    "learned": {"positions": "learned"},
    "sinusoidal": {"positions": "sinusoidal"},
    "open": {"causal_mask": False},
    "causal": {"causal_mask": True},
}
_VARIANT = "variant "
"""Before the name of a variant, where all that it chooses is meant."""
_VARIANT_FIELDS = sorted({field for changes in PRESETS.values() for field in changes})


def conversions(config: TransformerConfig) -> dict[str, Mapping[str, Any]]:
    """List changes of a config by name: single ones, then all that a variant chooses.

    Those that would change nothing are left out, and those that change the same as one before.
    """
    defaults = TransformerConfig.__dataclass_fields__
    variants = {
        f"{_VARIANT}{name}": {
            field: changes.get(field, defaults[field].default) for field in _VARIANT_FIELDS
        }
        for name, changes in PRESETS.items()
    }
    found: dict[str, Mapping[str, Any]] = {}
    for name, changes in {**_SINGLE, **variants}.items():
        changed = {f: value for f, value in changes.items() if getattr(config, f) != value}
        if changed and changed not in found.values():
            found[name] = changed
    return found


def conversion_title(name: str) -> str:
    """Describe what a checkpoint would become, of a change that `conversions` names."""
    if name in _SINGLE:
        return say_of("variants.into", name)
    return say("variants.into_variant", variant=name.removeprefix(_VARIANT))
