"""T5 and mT5 (Raffel et al. 2020; Xue et al. 2021), whole or only the encoder.

They are pre-norm models with RMS norms, without biases and without scaling of scores. Positions are
a number for each distance and head, stored in the first layer and used by all layers.
"""

from collections.abc import Collection
from typing import Any

from torch import Tensor

from model.config import Activation, TransformerConfig
from model.foreign.imports.families.bart import EMBEDDINGS, GENERATORS, take_embeddings
from model.foreign.imports.family import Family, Weights, renamed, stack_table
from model.foreign.imports.settings import ACTIVATIONS, Settings

_SELF = {
    "self_attn.query": "layer.0.SelfAttention.q",
    "self_attn.key": "layer.0.SelfAttention.k",
    "self_attn.value": "layer.0.SelfAttention.v",
    "self_attn.output": "layer.0.SelfAttention.o",
    "self_attn_norm": "layer.0.layer_norm",
}
_CROSS = {
    "cross_attn.query": "layer.1.EncDecAttention.q",
    "cross_attn.key": "layer.1.EncDecAttention.k",
    "cross_attn.value": "layer.1.EncDecAttention.v",
    "cross_attn.output": "layer.1.EncDecAttention.o",
    "cross_attn_norm": "layer.1.layer_norm",
}
_RELATIVE = "block.0.layer.0.SelfAttention.relative_attention_bias"

_FEED_FORWARDS: dict[str, tuple[Activation, bool]] = {
    **{name: (ours, False) for name, ours in ACTIVATIONS.items()},
    **{f"gated-{name}": (ours, True) for name, ours in ACTIVATIONS.items()},
    "gated-gelu": ("gelu_tanh", True),
}
"""`feed_forward_proj` -> activation, and whether it is gated. "gated-gelu" means the tanh formula,
as transformers reads it (`configuration_t5.py`)."""


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:
    """Read the config of a T5, of its encoder alone if the folder has no weights of a decoder."""
    settings.ignore("num_hidden_layers", "dropout_rate", "n_positions", "is_encoder_decoder")
    settings.ignore("dense_act_fn", "is_gated_act")  # determined by feed_forward_proj
    settings.must("is_decoder", False)
    activation, gated = settings.choice("feed_forward_proj", _FEED_FORWARDS, "relu")
    d_k = settings.whole("d_kv")
    n_layers = settings.whole("num_layers")
    n_decoder_layers = settings.whole("num_decoder_layers", n_layers)
    writes = any(name.startswith("decoder.") for name in names)
    vocab_size = settings.whole("vocab_size")
    return TransformerConfig(
        source_vocab_size=vocab_size,
        target_vocab_size=vocab_size if writes else 0,
        pad_id=settings.whole("pad_token_id", 0, least=0),
        d_model=settings.whole("d_model"),
        d_ff=settings.whole("d_ff"),
        n_heads=settings.whole("num_heads"),
        d_k=d_k,
        d_v=d_k,
        n_encoder_layers=n_layers,
        n_decoder_layers=n_decoder_layers if writes else 0,
        norm_placement="pre",
        final_norm=True,
        norm="rms",
        norm_eps=settings.number("layer_norm_epsilon", 1e-6),
        attention_bias=False,
        score_scale=1.0,
        activation=activation,
        gated=gated,
        feed_forward_bias=False,
        positions="relative",
        relative_buckets=settings.whole("relative_attention_num_buckets", 32),
        relative_max_distance=settings.whole("relative_attention_max_distance", 128),
        scale_embeddings=False,
        target_padding_mask=False,
        dropout=0.0,
        **_generator_fields(settings, names, writes=writes),
    )


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename a T5's weights. The first of its two maps into the hidden layer is the gate."""
    depths = {"encoder": config.n_encoder_layers, "decoder": config.n_decoder_layers}
    taken = take_embeddings(weights, "", config)
    for stack in (stack for stack, depth in depths.items() if depth):
        layer = _layer_table(crosses=stack == "decoder", gated=config.gated)
        table = stack_table(depths[stack], f"{stack}.layers", f"{stack}.block", layer)
        table[f"{stack}.relative"] = f"{stack}.{_RELATIVE}"
        table[f"{stack}.norm"] = f"{stack}.final_layer_norm"
        taken |= renamed(weights, table)
    if config.head == "linear" and config.tying == "none":
        taken["generator.weight"] = weights["lm_head.weight"]
    return taken


def _layer_table(*, crosses: bool, gated: bool) -> dict[str, str]:
    last = f"layer.{2 if crosses else 1}"
    maps = {"feed_forward.gate": "wi_0", "feed_forward.expand": "wi_1"}
    if not gated:
        maps = {"feed_forward.expand": "wi"}
    maps["feed_forward.contract"] = "wo"
    inner = {ours: f"{last}.DenseReluDense.{theirs}" for ours, theirs in maps.items()}
    return _SELF | (_CROSS if crosses else {}) | inner | {"feed_forward_norm": f"{last}.layer_norm"}


def _generator_fields(
    settings: Settings, names: Collection[str], *, writes: bool
) -> dict[str, Any]:
    """Read how logits are computed.

    In these folders `tie_word_embeddings` means something else: if it is true, as in the first
    version of T5, hidden states are scaled (`configuration_t5.py` of transformers); those of mT5
    never are. Whether logits have a matrix of their own is read from the names of the weights.
    """
    tied = settings.flag("tie_word_embeddings", True)
    scaled = settings.flag("scale_decoder_outputs", tied)
    has_embedding = any(name in EMBEDDINGS for name in names)
    has_own = "lm_head.weight" in names and (has_embedding or not tied)
    is_first = settings.choice("model_type", {"t5": True, "mt5": False})
    return {
        "head": "linear" if writes else "none",
        "tying": "none" if not writes or has_own else "all",
        "generator_bias": False,
        "scale_logits": is_first and scaled and writes,
    }


FAMILY = Family(
    title="T5",
    model_types=frozenset({"t5", "mt5"}),
    read_config=read_config,
    take=take,
    embeddings=EMBEDDINGS,
    generators=GENERATORS,
    buffers=("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",),
)
