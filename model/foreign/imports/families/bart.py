"""BART (Lewis et al. 2020): the paper's model, with learned positions and a norm after embeddings.

Marian has the same code and names, so this module holds the parts that both share.
"""

from collections.abc import Collection
from typing import Any

import torch
from torch import Tensor

from model.config import TransformerConfig, Tying
from model.foreign.imports.family import Family, Weights, prefix_of, renamed, stack_table
from model.foreign.imports.settings import ACTIVATIONS, NotComputedError, Settings

_OFFSET = 2
"""The first rows of the position table, which no position uses; fairseq kept them for padding."""
_SELF = {
    "self_attn.query": "self_attn.q_proj",
    "self_attn.key": "self_attn.k_proj",
    "self_attn.value": "self_attn.v_proj",
    "self_attn.output": "self_attn.out_proj",
    "self_attn_norm": "self_attn_layer_norm",
}
_CROSS = {
    "cross_attn.query": "encoder_attn.q_proj",
    "cross_attn.key": "encoder_attn.k_proj",
    "cross_attn.value": "encoder_attn.v_proj",
    "cross_attn.output": "encoder_attn.out_proj",
    "cross_attn_norm": "encoder_attn_layer_norm",
}
_FEED_FORWARD = {
    "feed_forward.expand": "fc1",
    "feed_forward.contract": "fc2",
    "feed_forward_norm": "final_layer_norm",
}
GENERATORS = ("lm_head.weight",)
EMBEDDINGS = tuple(
    f"{prefix}{name}.weight"
    for prefix in ("model.", "")
    for name in ("shared", "encoder.embed_tokens", "decoder.embed_tokens")
)
SIDES = {"source_embedding": "encoder", "target_embedding": "decoder"}


def read_config(settings: Settings, names: Collection[str]) -> TransformerConfig:
    """Read the config of a BART. Its logits have an untrained bias, `final_logits_bias`."""
    settings.must("normalize_embedding", True)
    settings.must("static_position_embeddings", False)
    vocab_size = settings.whole("vocab_size")
    return TransformerConfig(
        **seq2seq_fields(settings, names),
        source_vocab_size=vocab_size,
        target_vocab_size=vocab_size,
        pad_id=settings.whole("pad_token_id", 1, least=0),
        positions="learned",
        max_length=settings.whole("max_position_embeddings"),
        position_offset=_OFFSET,
        embedding_norm=True,
        tying=tying_of(settings, names),
    )


def seq2seq_fields(settings: Settings, names: Collection[str]) -> dict[str, Any]:
    """Read the fields of config.json that BART and Marian share, as fields of a config.

    Bare stacks get a generator that is tied to their embeddings, as in transformers.
    """
    if any(name.startswith(("classification_head.", "qa_outputs.")) for name in names):
        raise NotComputedError(
            "its weights belong to a model that classifies texts or finds answers in them: it has "
            "no output layer for words, so it cannot write"
        )
    settings.ignore("encoder_layerdrop", "decoder_layerdrop", "activation_dropout", "init_std")
    settings.ignore("num_hidden_layers", "is_encoder_decoder", "extra_pos_embeddings")
    settings.ignore("classif_dropout", "force_bos_token_to_be_generated")
    settings.must("is_decoder", False)
    settings.must("normalize_before", False)
    settings.must("add_final_layer_norm", False)
    settings.must("add_bias_logits", False)
    d_model = settings.whole("d_model")
    n_heads = _same(settings, "attention_heads")
    return {
        "d_model": d_model,
        "d_ff": _same(settings, "ffn_dim"),
        "n_heads": n_heads,
        "d_k": d_model // n_heads,
        "d_v": d_model // n_heads,
        "n_encoder_layers": settings.whole("encoder_layers"),
        "n_decoder_layers": settings.whole("decoder_layers"),
        "activation": settings.choice("activation_function", ACTIVATIONS, "gelu"),
        "scale_embeddings": settings.flag("scale_embedding", False),
        "generator_bias": "final_logits_bias" in names,
        "target_padding_mask": False,
        "dropout": 0.0,
    }


def tying_of(settings: Settings, names: Collection[str]) -> Tying:
    """Return which embeddings are tied: all, unless the config or the folder separates them."""
    tied = settings.flag("tie_word_embeddings", True)
    has_own = "lm_head.weight" in names and any(name in EMBEDDINGS for name in names)
    return "all" if tied and not has_own else "none"


def take(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename a BART's weights."""
    prefix = prefix_of(weights, "model.")
    norms = {f"{ours}.norm": f"{theirs}.layernorm_embedding" for ours, theirs in SIDES.items()}
    learned = {f"{ours}.learned": f"{theirs}.embed_positions" for ours, theirs in SIDES.items()}
    beside = {ours: f"{prefix}{theirs}" for ours, theirs in (norms | learned).items()}
    return renamed(weights, beside) | take_stacks(weights, config)


def take_stacks(weights: Weights, config: TransformerConfig) -> dict[str, Tensor]:
    """Rename layers, token embeddings and generator, which have the same names in Marian."""
    prefix = prefix_of(weights, "model.")
    encoder = stack_table(
        config.n_encoder_layers,
        "encoder.layers",
        f"{prefix}encoder.layers",
        _SELF | _FEED_FORWARD,
    )
    decoder = stack_table(
        config.n_decoder_layers,
        "decoder.layers",
        f"{prefix}decoder.layers",
        _SELF | _CROSS | _FEED_FORWARD,
    )
    taken = renamed(weights, encoder | decoder) | take_embeddings(weights, prefix, config)
    if config.generator_bias:
        taken["generator.bias"] = weights["final_logits_bias"].flatten()
    if config.tying == "none":
        taken["generator.weight"] = weights["lm_head.weight"]
    return taken


def take_embeddings(weights: Weights, prefix: str, config: TransformerConfig) -> dict[str, Tensor]:
    """Take each side's own embedding if it has one, otherwise the shared one.

    Of tied embeddings, only the first is returned. Raises ValueError if they are not equal.
    """
    both = weights.get(f"{prefix}shared.weight")
    sides = [("source_embedding", "encoder")] if config.has_encoder else []
    sides += [("target_embedding", "decoder")] if config.has_decoder else []
    taken: dict[str, Tensor] = {}
    for ours, theirs in sides:
        embedding = weights.get(f"{prefix}{theirs}.embed_tokens.weight", both)
        if embedding is None:
            raise KeyError(f"{prefix}shared.weight")
        taken[f"{ours}.weight"] = embedding
    if config.tying != "all" or len(taken) == 1:
        return taken
    source, target = taken.values()
    if not source.is_meta and not torch.equal(source, target):
        raise ValueError(
            "config.json ties the embeddings of both sides, but its weights have two different ones"
        )
    return {"source_embedding.weight": source}


def _same(settings: Settings, size: str) -> int:
    encoder, decoder = settings.whole(f"encoder_{size}"), settings.whole(f"decoder_{size}")
    if encoder != decoder:
        raise NotComputedError(
            f"encoder_{size} and decoder_{size} of config.json must be equal, because Loupe "
            f"builds both stacks alike, got {encoder} and {decoder}"
        )
    return encoder


FAMILY = Family(
    title="BART",
    model_types=frozenset({"bart"}),
    read_config=read_config,
    take=take,
    embeddings=EMBEDDINGS,
    generators=GENERATORS,
)
