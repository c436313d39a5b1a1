"""GPT-NeoX (Black et al. 2022) and Pythia: attention and feed-forward network in parallel."""

from collections.abc import Collection

from torch import Tensor

from model.config import TransformerConfig
from model.foreign.imports.family import Family, Weights, prefix_of, renamed, stack_table
from model.foreign.imports.rotary import read_rotary
from model.foreign.imports.settings import ACTIVATIONS, Settings

_LAYER = {
    "self_attn.output": "attention.dense",
    "self_attn_norm": "input_layernorm",
    "feed_forward.expand": "mlp.dense_h_to_4h",
    "feed_forward.contract": "mlp.dense_4h_to_h",
    "feed_forward_norm": "post_attention_layernorm",
}
_PARTS = ("query", "key", "value")
_SHARE = 0.25
_GENERATORS = ("embed_out.weight", "lm_head.weight")


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:  # noqa: ARG001
    """Read the config of a GPT-NeoX."""
    settings.must("is_decoder", False, True)
    d_model, n_heads = settings.whole("hidden_size"), settings.whole("num_attention_heads")
    length = settings.whole("max_position_embeddings", 2048)
    return TransformerConfig(
        source_vocab_size=0,
        target_vocab_size=settings.whole("vocab_size"),
        d_model=d_model,
        d_ff=settings.whole("intermediate_size"),
        n_heads=n_heads,
        d_k=d_model // n_heads,
        d_v=d_model // n_heads,
        n_encoder_layers=0,
        n_decoder_layers=settings.whole("num_hidden_layers"),
        norm_placement="parallel" if settings.flag("use_parallel_residual", True) else "pre",
        final_norm=True,
        norm_eps=settings.number("layer_norm_eps", 1e-5),
        attention_bias=settings.flag("attention_bias", True),
        activation=settings.choice("hidden_act", ACTIVATIONS, "gelu"),
        positions="rotary",
        max_length=length,
        scale_embeddings=False,
        tying="all" if settings.flag("tie_word_embeddings", False) else "none",
        generator_bias=False,
        decoder_padding_mask=False,
        dropout=0.0,
        **read_rotary(
            settings, base="rotary_emb_base", share=("rotary_pct", _SHARE), length=length
        ),
    )


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename the weights, and split the matrix of each head's query, key and value rows."""
    prefix = prefix_of(weights, "gpt_neox.")
    table = {"target_embedding": f"{prefix}embed_in", "decoder.norm": f"{prefix}final_layer_norm"}
    layers = stack_table(config.n_decoder_layers, "decoder.layers", f"{prefix}layers", _LAYER)
    taken = renamed(weights, table | layers)
    for i in range(config.n_decoder_layers):
        packed = f"{prefix}layers.{i}.attention.query_key_value"
        for kind in ("weight", "bias") if config.attention_bias else ("weight",):
            parts = _split(weights[f"{packed}.{kind}"], config)
            taken |= {f"decoder.layers.{i}.self_attn.{n}.{kind}": t for n, t in parts.items()}
    found = [name for name in _GENERATORS if name in weights]
    if found or config.tying == "none":
        taken["generator.weight"] = weights[found[0] if found else _GENERATORS[0]]
    return taken


def _split(rows: Tensor, config: TransformerConfig) -> dict[str, Tensor]:
    n_rows = 3 * config.n_heads * config.d_k
    if len(rows) != n_rows:
        raise ValueError(f"query_key_value must have {n_rows} rows, got {len(rows)}")
    of_heads = rows.view(config.n_heads, 3, config.d_k, *rows.shape[1:])
    return {name: of_heads[:, i].flatten(0, 1).clone() for i, name in enumerate(_PARTS)}


FAMILY = Family(
    title="GPT-NeoX",
    model_types=frozenset({"gpt_neox"}),
    read_config=read_config,
    take=take,
    embeddings=("gpt_neox.embed_in.weight", "embed_in.weight"),
    generators=_GENERATORS,
    buffers=(
        "*.attention.bias",
        "*.attention.masked_bias",
        "*rotary_emb.inv_freq",
    ),
)
