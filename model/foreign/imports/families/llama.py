"""Llama (Touvron et al. 2023) and its kin: rotary positions, RMSNorm, a gate, grouped queries."""

from collections.abc import Collection
from dataclasses import replace

from torch import Tensor

from model.config import TransformerConfig
from model.foreign.imports.family import Family, Weights, prefix_of, renamed, stack_table
from model.foreign.imports.rotary import read_rotary
from model.foreign.imports.settings import ACTIVATIONS, Settings

_LAYER = {
    "self_attn.query": "self_attn.q_proj",
    "self_attn.key": "self_attn.k_proj",
    "self_attn.value": "self_attn.v_proj",
    "self_attn.output": "self_attn.o_proj",
    "self_attn_norm": "input_layernorm",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.expand": "mlp.up_proj",
    "feed_forward.contract": "mlp.down_proj",
    "feed_forward_norm": "post_attention_layernorm",
}
BUFFERS = ("*rotary_emb.inv_freq",)
EMBEDDINGS = ("model.embed_tokens.weight", "embed_tokens.weight")
GENERATORS = ("lm_head.weight",)


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:  # noqa: ARG001
    """Read the config of a Llama."""
    return replace(
        llama_config(settings),
        attention_bias=settings.flag("attention_bias", False),
        feed_forward_bias=settings.flag("mlp_bias", False),
    )


def llama_config(settings: Settings, *, kv_heads: int = 0) -> TransformerConfig:
    """Read the fields that Llama and its kin share: no biases, and layers that read the whole text.

    `kv_heads` is the number of key and value heads if config.json does not state it; 0 means as
    many as query heads.
    """
    d_model, n_heads = settings.whole("hidden_size"), settings.whole("num_attention_heads")
    d_k = settings.whole("head_dim", d_model // n_heads)
    length = settings.whole("max_position_embeddings", 2048)
    return TransformerConfig(
        source_vocab_size=0,
        target_vocab_size=settings.whole("vocab_size"),
        d_model=d_model,
        d_ff=settings.whole("intermediate_size"),
        n_heads=n_heads,
        n_kv_heads=settings.whole("num_key_value_heads", kv_heads or n_heads),
        d_k=d_k,
        d_v=d_k,
        n_encoder_layers=0,
        n_decoder_layers=settings.whole("num_hidden_layers"),
        norm_placement="pre",
        final_norm=True,
        norm="rms",
        norm_eps=settings.number("rms_norm_eps", 1e-6),
        attention_bias=False,
        activation=settings.choice("hidden_act", ACTIVATIONS, "silu"),
        gated=True,
        feed_forward_bias=False,
        positions="rotary",
        max_length=length,
        scale_embeddings=False,
        tying="all" if settings.flag("tie_word_embeddings", False) else "none",
        generator_bias=False,
        decoder_padding_mask=False,
        dropout=0.0,
        **read_rotary(settings, length=length),
    )


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename the weights."""
    prefix = prefix_of(weights, "model.")
    table = {"target_embedding": f"{prefix}embed_tokens", "decoder.norm": f"{prefix}norm"}
    if config.tying == "none" or "lm_head.weight" in weights:
        table["generator"] = "lm_head"
    layers = stack_table(config.n_decoder_layers, "decoder.layers", f"{prefix}layers", _LAYER)
    return renamed(weights, table | layers)


FAMILY = Family(
    title="Llama",
    model_types=frozenset({"llama"}),
    read_config=read_config,
    take=take,
    embeddings=EMBEDDINGS,
    generators=GENERATORS,
    buffers=BUFFERS,
)
