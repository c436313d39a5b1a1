"""A family: a small GPT that somebody wrote with torch.nn.TransformerEncoderLayer, for Loupe."""

from collections.abc import Collection

from torch import Tensor

from loupe.plugins import (
    VERSION,
    Family,
    Settings,
    TransformerConfig,
    Weights,
    renamed,
    stack_table,
)

assert VERSION == 1, f"written for version 1 of loupe.plugins, found {VERSION}"

OF_A_LAYER = {
    "self_attn.output": "self_attn.out_proj",
    "self_attn_norm": "norm1",
    "feed_forward.expand": "linear1",
    "feed_forward.contract": "linear2",
    "feed_forward_norm": "norm2",
}
"""Loupe's name of each module -> the name in the folder's weights."""


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:  # noqa: ARG001
    """Return the config of Loupe's model that computes the same."""
    width, heads = settings.whole("width"), settings.whole("heads")
    return TransformerConfig(
        source_vocab_size=0,  # no encoder
        target_vocab_size=settings.whole("vocabulary"),
        d_model=width,
        d_ff=settings.whole("inner"),
        n_heads=heads,
        d_k=width // heads,
        d_v=width // heads,
        n_encoder_layers=0,
        n_decoder_layers=settings.whole("layers"),
        norm_placement="pre",
        final_norm=True,
        activation="gelu",
        positions="learned",
        max_length=settings.whole("longest"),
        scale_embeddings=False,
        tying="none",
        generator_bias=False,
        decoder_padding_mask=False,
        dropout=0.0,
    )


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Return all weights under Loupe's names."""
    taken = renamed(
        weights,
        {
            "target_embedding": "tokens",
            "target_embedding.learned": "places",
            "decoder.norm": "norm",
            "generator": "head",
        }
        | stack_table(config.n_decoder_layers, "decoder.layers", "layers", OF_A_LAYER),
    )
    for layer in range(config.n_decoder_layers):
        for kind in ("weight", "bias"):  # torch stores queries, keys and values in one matrix
            parts = weights[f"layers.{layer}.self_attn.in_proj_{kind}"].chunk(3)
            for name, part in zip(("query", "key", "value"), parts, strict=True):
                taken[f"decoder.layers.{layer}.self_attn.{name}.{kind}"] = part.clone()
    return taken


FAMILY = Family(
    title="Acme GPT",
    model_types=frozenset({"acme-gpt"}),
    read_config=read_config,
    take=take,
)
