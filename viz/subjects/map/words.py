"""The sentence of each block and tensor on the map, from the config."""

import math
from collections.abc import Sequence

from model.config import Positions, TransformerConfig
from texts import say, say_of
from texts.saying import written
from viz.pictures.numbers import number_text
from viz.run.axes import AttentionKind

RECORDED_ROLES = frozenset(
    {
        "embedding",
        "positions",
        "norm",
        "add_norm",
        "final_norm",
        "feed_forward",
        "linear",
    }
)
"""Roles of blocks that only a record can describe."""


def answer(config: TransformerConfig, *, source: int, target: int) -> str:
    """State the way of the tokens through the model, with its own sizes.

    `target` counts the rows of the decoder.
    """
    sizes = {"d_model": config.d_model, "count": source}
    if config.has_cross_attention:
        return say("map.answer", **sizes, written=say("map.tokens", count=target))
    if config.has_decoder:
        sizes["count"] = target
    if config.head == "none":
        return say("map.answer_vectors", **sizes)
    return say("map.answer_writes" if config.has_decoder else "map.answer_fills", **sizes)


def heads(config: TransformerConfig) -> str:
    """Count the heads, and those of keys and values if they are fewer."""
    if config.key_value_heads == config.n_heads:
        return say("map.heads", count=config.n_heads)
    own = say("map.heads", count=config.n_heads)
    return say("map.heads_shared", heads=own, shared=config.key_value_heads)


def norm_name(config: TransformerConfig) -> str:
    """Name the norm of a variant."""
    return say_of("map.norm_name", config.norm)


def position_name(kind: Positions) -> str:
    """Name a kind of positions."""
    return say_of("config.position_name", kind)


def value_range(smallest: float, largest: float) -> str:
    """State the range of a tensor's numbers."""
    return say("map.values", smallest=number_text(smallest), largest=number_text(largest))


def _activation(config: TransformerConfig) -> str:
    return say_of("map.activation", config.activation)


def tokens_of(config: TransformerConfig, side: str) -> str:
    """Describe the input, for a model of one text or two."""
    is_read = side == "source" or not config.has_decoder
    return say("map.tokens_read" if is_read else "map.tokens_so_far")


def embedding(config: TransformerConfig, side: str) -> str:
    """Describe what the embedding looks up, how it is scaled, and whose weights it has."""
    said = say(
        "map.embedding_scaled" if config.scale_embeddings else "map.embedding_says",
        d_model=config.d_model,
        vocabulary=config.source_vocab_size if side == "source" else config.target_vocab_size,
        sign="=" if math.isqrt(config.d_model) ** 2 == config.d_model else "≈",
        root=written(f"{math.sqrt(config.d_model):.4g}"),
    )
    alone = not config.has_cross_attention and config.head == "none"
    is_own = config.tying == "none" or (config.tying == "decoder" and side == "source")
    return said if is_own or alone else f"{said} {say('map.shared_weights')}"


def positions(config: TransformerConfig) -> str:
    """Describe how the model knows positions."""
    longest = 10000 ** ((config.d_model - 2) / config.d_model)
    kind = config.positions
    return say_of("config.position_sentence", kind, longest=longest, most=config.max_length)


def norm(config: TransformerConfig) -> str:
    """Describe a norm with its own block."""
    return say("map.norm_says", norm=_norm(config))


def transform(config: TransformerConfig) -> str:
    """Describe the transformation between the last layer and the linear one."""
    return say("map.transform_says", d_model=config.d_model, activation=_activation(config))


def attention(config: TransformerConfig, kind: AttentionKind, masks: Sequence[str]) -> str:
    """Describe who reads whom, and what the masks hide."""
    said = "cross" if kind == "cross-attention" else "back" if "causal" in masks else "all"
    if kind == "decoder self-attention" and said == "all":
        said = "open"
    if "window" in masks:
        said = "window"
    reads = say_of("map.reads", said, count=config.window - 1)
    is_placed = kind != "cross-attention" and config.positions in ("rotary", "alibi", "relative")
    place = say_of("map.mask_does", config.positions) if is_placed else ""
    return " ".join(filter(None, (reads, _weights(config, kind), place)))


def _weights(config: TransformerConfig, kind: AttentionKind) -> str:
    usual = math.isclose(config.scale, config.d_k**-0.5)
    scores = f"QKᵀ / √{config.d_k}" if usual else "QKᵀ"
    if not usual and config.scale != 1:
        scores = f"QKᵀ · {number_text(config.scale)}"
    if kind != "cross-attention" and config.positions in ("alibi", "relative"):
        scores = say("map.plus_bias", scores=scores)
    if config.key_value_heads == config.n_heads:
        return say("map.weights", scores=scores)
    return say("map.weights_shared", scores=scores, each=config.n_heads // config.key_value_heads)


def feed_forward(config: TransformerConfig) -> str:
    """Describe the feed-forward network, which works on each position."""
    how = "gated" if config.gated else "relu" if config.activation == "relu" else "through"
    return say(
        "map.feed_forward_says",
        d_model=config.d_model,
        d_ff=config.d_ff,
        how=say_of("map.feed_forward_how", how, activation=_activation(config)),
    )


def add_norm(config: TransformerConfig) -> str:
    """Describe how a residual connection ends, with a norm after it."""
    return say("map.add_norm_says", norm=_norm(config))


def linear(config: TransformerConfig) -> str:
    """Describe the output of the last layer, and whose weights it has."""
    said = say("map.linear_says", vocabulary=config.predicted_vocab_size)
    is_own = config.tying == "none" or (
        config.tying == "decoder" and not config.has_cross_attention
    )
    return said if is_own else f"{said} {say('map.shared_weights')}"


def output(config: TransformerConfig) -> str:
    """Describe the output that the variant returns."""
    return say_of("map.output_says", config.output)


def _norm(config: TransformerConfig) -> str:
    return say_of("map.norm_formula", config.norm, eps=number_text(config.norm_eps))
