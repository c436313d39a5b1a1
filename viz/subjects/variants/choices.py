"""What a checkpoint can be asked to become: one field changed, or another variant."""

import math
from collections.abc import Mapping
from typing import Any

from model.config import TransformerConfig
from model.presets import PRESETS

PAPER = "paper"
MOST_TELLING = "headlist"
"""Compared with the paper's to begin with, where the checkpoint in view is the paper's."""

_SINGLE: dict[str, Mapping[str, Any]] = {
    "Output: logits": {"output": "logits"},
    "Output: log-softmax": {"output": "log_softmax"},
    "Output: softmax": {"output": "softmax"},
    "Norm: LayerNorm, eps 1e−5": {"norm": "layer", "norm_eps": 1e-5},
    "Norm: unbiased std, eps 1e−6": {"norm": "unbiased_std", "norm_eps": 1e-6},
    "Norm: before the sublayer": {"norm_placement": "pre"},
    "Norm: after the residual": {"norm_placement": "post"},
    "Attention: with biases": {"attention_bias": True},
    "Attention: without biases": {"attention_bias": False},
    "Weights: untied": {"tying": "none"},
    "Weights: all tied": {"tying": "all"},
    "Embeddings: not scaled, untied": {"scale_embeddings": False, "tying": "none"},
    "Embeddings: not scaled": {"scale_embeddings": False},
    "Embeddings: times √d_model": {"scale_embeddings": True},
    "Hidden scores: −1e9": {"mask_fill": -1e9},
    "Hidden scores: −∞": {"mask_fill": -math.inf},
    "Positions: a learned table": {"positions": "learned"},
    "Positions: sinusoidal": {"positions": "sinusoidal"},
    "Masks: no causal mask": {"causal_mask": False},
    "Masks: a causal mask": {"causal_mask": True},
}
_VARIANT_FIELDS = sorted({field for changes in PRESETS.values() for field in changes})


def conversions(config: TransformerConfig) -> dict[str, Mapping[str, Any]]:
    """List changes of a config by name: single ones, then all that a variant chooses.

    Those that would change nothing are left out, and those that change the same as one before.
    """
    defaults = TransformerConfig.__dataclass_fields__
    variants = {
        f"All of variant {name}": {
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
