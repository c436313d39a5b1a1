"""Describes a recorded model in Loupe's terms: its anatomy, and its sizes as a config."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from model.anatomy import Anatomy
from model.config import Positions, Side, TransformerConfig
from model.foreign.recording.plan import Plan
from model.positions import alibi_bias, formula_of
from model.probing import anatomy_in
from model.traces import (
    DecoderTrace,
    EmbeddingTrace,
    EncoderTrace,
    TransformerTrace,
    present,
)


def anatomy_of_record(model: nn.Module, plan: Plan, trace: TransformerTrace) -> Anatomy:
    """Determine a model's anatomy from one record of it and from its config in transformers."""
    stack, config = plan.stacks[-1], getattr(model, "config", None)
    found = anatomy_in(
        trace,
        placement=stack.placement,
        positions=_positions(config, trace),
        window=_window(config),
        vocabularies=_vocabularies(model, trace),
    )
    return replace(found, is_recorded=True)


def config_of_record(
    model: nn.Module, anatomy: Anatomy, trace: TransformerTrace
) -> TransformerConfig:
    """Return the model's sizes, and those of its choices that Loupe's config can express.

    This config describes the model but cannot rebuild it.
    """
    stack = _last_stack(trace)
    attention = stack.layers[0].self_attn
    sizes = dict(anatomy.vocabularies)
    d_model = stack.output.size(-1)
    network = stack.layers[0].feed_forward
    hidden = None if network is None else network.hidden
    longest = getattr(model.config, "max_position_embeddings", None)
    pad_id = getattr(model.config, "pad_token_id", None)
    is_known = type(pad_id) is int and all(0 <= pad_id < size for size in sizes.values())
    return TransformerConfig(
        source_vocab_size=sizes.get("source", 0),
        target_vocab_size=sizes.get("target", 0),
        pad_id=pad_id if type(pad_id) is int and is_known else 0,
        d_model=d_model,
        d_ff=0 if network is None else d_model if hidden is None else hidden.size(-1),
        n_heads=attention.query.size(1),
        n_kv_heads=attention.key.size(1),
        d_k=attention.query.size(-1),
        d_v=attention.value.size(-1),
        score_scale=attention.scale,
        n_encoder_layers=len(trace.encoder.layers) if trace.encoder else 0,
        n_decoder_layers=len(trace.decoder.layers) if trace.decoder else 0,
        norm_placement="pre" if anatomy.placement == "both" else anatomy.placement,
        positions=anatomy.positions,
        max_length=longest if type(longest) is int and longest > 0 else 512,
        window=_window(model.config) or 0,
        head="none" if trace.logits is None else "linear",
        tying="none",
        mask_fill=torch.finfo(attention.query.dtype).min,
        dropout=0.0,
    )


def _last_stack(trace: TransformerTrace) -> EncoderTrace | DecoderTrace:
    return present(trace.decoder or trace.encoder)


def _positions(config: Any, trace: TransformerTrace) -> Positions:  # noqa: ANN401
    """Determine the kind of positions, from recorded values if they show it."""
    embedding = _last_embedding(trace)
    if embedding is not None and embedding.positions.any():
        positions = embedding.positions
        return formula_of(positions if positions.dim() == 2 else positions[0]) or "learned"
    bias = _last_stack(trace).layers[0].self_attn.bias
    if bias is not None:
        n_heads, length = bias.shape[1:3]
        return "alibi" if _close(bias, alibi_bias(n_heads, 0, length)) else "relative"
    if any(getattr(config, name, None) for name in ("rope_parameters", "rope_theta")):
        return "rotary"
    # If the embedding was not taken apart, only a table of positions would limit the length.
    is_limited = embedding is None and hasattr(config, "max_position_embeddings")
    return "learned" if is_limited else "none"


def _last_embedding(trace: TransformerTrace) -> EmbeddingTrace | None:
    """Return the embedding that the last stack reads."""
    return trace.target_embedding if trace.decoder else trace.source_embedding


def _close(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and torch.allclose(a.float(), b.to(a.device), atol=1e-4)


def _window(config: Any) -> int | None:  # noqa: ANN401 - any config of transformers
    """Return the largest number of positions that a layer reads, if all layers have the same."""
    window = getattr(config, "sliding_window", None)
    kinds = set(getattr(config, "layer_types", None) or ())
    if type(window) is not int or window < 1 or kinds - {"sliding_attention"}:
        return None
    return window


def _vocabularies(model: Any, trace: TransformerTrace) -> dict[Side, int]:  # noqa: ANN401
    try:
        read = getattr(model.get_input_embeddings(), "num_embeddings", 0)
    except (
        AttributeError,
        NotImplementedError,
    ):  # not from transformers, or a model for audio
        read = 0
    sizes: dict[Side, int] = {}
    if trace.encoder:
        sizes["source"] = read
    if trace.decoder:
        sizes["target"] = read if trace.logits is None else trace.logits.size(-1)
    return sizes
