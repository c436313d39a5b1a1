"""The paper's model and five public write-ups of it, as configs of one transformer."""

import difflib
from typing import Any

from model.config import SIZES, TransformerConfig

PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "addnorm": {
        "norm": "unbiased_std",
        "norm_eps": 1e-6,
        "positions": "double_sine",
        "tying": "none",
        "mask_fill": -1e9,
        "dropout_at": ("embedding", "attention_weights", "feed_forward_hidden", "sublayer_output"),
    },
    "temperature": {
        "norm_eps": 1e-6,
        "attention_bias": False,
        "scale_embeddings": False,
        "tying": "none",
        "mask_fill": -1e9,
        "dropout_at": ("attention_weights", "sublayer_output"),
    },
    "prenorm": {
        "norm_placement": "pre",
        "final_norm": True,
        "norm": "unbiased_std",
        "norm_eps": 1e-6,
        "tying": "none",
        "output": "log_softmax",
        "dropout_at": ("sublayer_output",),
    },
    "headlist": {
        "positions": "single_frequency",
        "scale_embeddings": False,
        "tying": "none",
        "causal_mask": False,
        "encoder_padding_mask": False,
        "decoder_padding_mask": False,
        "output": "softmax",
        "dropout_at": ("sublayer_output",),
    },
    "tied": {
        "encoder_padding_mask": False,
        "output": "log_softmax",
        "dropout_at": ("attention_weights", "sublayer_output"),
    },
}
"""The changes of each variant to the defaults of `TransformerConfig`, which are the paper's."""

_HEADS_NEED_NOT_DIVIDE = frozenset({"temperature", "headlist"})
"""The variants whose n_heads need not divide d_model; unless given, d_k is rounded down."""


def preset(name: str, **overrides: Any) -> TransformerConfig:  # noqa: ANN401 - fields of a config
    """Return the config of one variant, with any of its fields overridden.

    `d_k` follows from `d_model` and `n_heads` unless it is given, and `d_v` from `d_k`. Raises
    ValueError on an unknown name, an unknown field, or heads that the variant cannot split.
    """
    if name not in PRESETS:
        nearest = difflib.get_close_matches(name, PRESETS, n=1, cutoff=0.0)
        raise ValueError(f"no preset {name!r}; there are {', '.join(PRESETS)} ({nearest[0]}?)")
    fields = TransformerConfig.__dataclass_fields__
    if unknown := sorted(overrides.keys() - fields.keys()):
        raise ValueError(f"a config has no {', '.join(unknown)}; it has {', '.join(fields)}")
    values = PRESETS[name] | overrides
    d_model = values.get("d_model", fields["d_model"].default)
    n_heads = values.get("n_heads", fields["n_heads"].default)
    if "d_k" not in values and n_heads >= 1:
        if name not in _HEADS_NEED_NOT_DIVIDE and d_model % n_heads:
            raise ValueError(
                f"d_model must be divisible by n_heads in {name}, got {d_model} and {n_heads}"
            )
        values["d_k"] = max(d_model // n_heads, 1)
    if "d_k" in values:
        values.setdefault("d_v", values["d_k"])
    return TransformerConfig(**values)


def variant_name(config: TransformerConfig, began_as: str) -> str:
    """Return the name of the preset that computes the same as a config, or "custom".

    Sizes and the dropout rate do not matter.
    """
    free = {name: getattr(config, name) for name in (*SIZES, "dropout")}
    return began_as if config == preset(began_as, **free) else "custom"
