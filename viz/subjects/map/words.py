"""What the map says of each block and tensor: one sentence, from the config."""

import math
from collections.abc import Sequence

from model.config import Positions, TransformerConfig
from texts import say, say_of
from texts.saying import written
from viz.pictures.numbers import number_text
from viz.run.record import AttentionKind

RECORDED_ROLES = frozenset(
    {
        "embedding",
        "positions",
        "sum",
        "norm",
        "add_norm",
        "final_norm",
        "feed_forward",
        "linear",
    }
)
"""Of blocks of which a record alone says what they do."""
_RECORDED_TENSORS = frozenset({"scores", "weights", "hidden"})
"""Of which a record says less than a config would."""
_OUTPUTS = {
    "encoder": "memory",
    "decoder": "linear",
    "self_attn": "attention",
    "cross_attn": "attention",
    "feed_forward": "feed_forward",
}
"""Of tensors called output, by the module that gives them; of others, the residual stream."""


def recorded_tensor(name: str) -> str:
    """Describe what a tensor is that was recorded of code that is not ours."""
    module, _, last = name.rpartition(".")
    if last in ("tokens", "positions"):
        return say_of("map.recorded", "embedding" if last == "tokens" else last)
    if last in _RECORDED_TENSORS:
        return say_of("map.recorded_tensor", last)
    if last != "output":
        return say_of("map.tensor", last)
    if not module:
        return say("map.recorded.linear")
    if module.endswith("_embedding"):
        return say("map.recorded.sum")
    part = module.rpartition(".")[2]
    known = part if part in ("encoder", "decoder") else _OUTPUTS.get(part, "layer")
    return say_of("map.output_of", known)


def answer(config: TransformerConfig, *, source: int, target: int) -> str:
    """State which way the tokens go, by this model's own sizes.

    `target` counts the rows of the decoder.
    """
    if not config.has_cross_attention:
        return _answer_of_one_text(config, target if config.has_decoder else source)
    return say(
        "map.answer",
        count=source,
        d_model=config.d_model,
        written=say("map.tokens", count=target),
    )


def _answer_of_one_text(config: TransformerConfig, length: int) -> str:
    if config.head == "none":
        return say("map.answer_vectors", count=length, d_model=config.d_model)
    return say(
        "map.answer_writes" if config.has_decoder else "map.answer_fills",
        count=length,
        d_model=config.d_model,
    )


def heads(config: TransformerConfig) -> str:
    """Count the heads, and those of keys and values where they are fewer."""
    if config.key_value_heads == config.n_heads:
        return say("map.heads", count=config.n_heads)
    return say("map.heads_shared", count=config.n_heads, shared=config.key_value_heads)


def norm_name(config: TransformerConfig) -> str:
    """Name the norm of a variant."""
    return say_of("map.norm_name", config.norm)


def position_name(kind: Positions) -> str:
    """Name a kind of positions."""
    return say_of("config.position_name", kind)


def whose_run(*, given: bool) -> str:
    """State which run the map shows, beside pages that play other ones too."""
    return say_of("map.whose", "given" if given else "greedy")


def value_range(smallest: float, largest: float, *, is_probability: bool) -> str:
    """State between which values the colours run."""
    return say(
        "map.values_of_shares" if is_probability else "map.values",
        smallest=number_text(smallest),
        largest=number_text(largest),
    )


def tensor(config: TransformerConfig, name: str, *, is_positive: bool) -> str:
    """Describe what a tensor of a run is; `is_positive` where none of its values is below 0."""
    module, _, last = name.rpartition(".")
    if name == "output":
        return output(config)
    if last == "tokens":
        return embedding(config, module.removesuffix("_embedding"))
    if last == "positions":
        return positions(config)
    if last == "output":
        return _output_of(config, module)
    if last == "scores":
        return _scores(config, name)
    if last == "hidden":
        return _hidden(config, is_positive=is_positive)
    if last == "logits" and config.has_cross_attention:
        return say("map.tensor.logits_target")
    if last in ("after_self_attn", "after_cross_attn") and config.norm_placement == "post":
        return say_of("map.tensor", f"{last}_norm")
    return say_of("map.tensor", last)


def _output_of(config: TransformerConfig, module: str) -> str:
    if module == "encoder" and not config.has_decoder:
        by_head = {"none": "encoder", "transform": "head"}
        return say_of("map.output_of", by_head.get(config.head, "linear"))
    if module == "decoder" and config.head == "none":
        return say("map.output_of.decoder")
    if module.endswith("_embedding"):
        stack = "encoder" if module == "source_embedding" else "decoder"
        return embedding_norm(config) if config.embedding_norm else sum_of(config, stack)
    part = module.rpartition(".")[2]
    return say_of("map.output_of", _OUTPUTS.get(part, "layer"))


def _scores(config: TransformerConfig, name: str) -> str:
    usual = math.isclose(config.scale, config.d_k**-0.5)
    biased = config.positions in ("alibi", "relative") and ".cross_attn." not in name
    said = f"scores{'' if usual else '_times'}{'_bias' if biased else ''}"
    return say_of("map.tensor", said, d_k=config.d_k, scale=number_text(config.scale))


def _hidden(config: TransformerConfig, *, is_positive: bool) -> str:
    said = say(
        "map.tensor.hidden_gated" if config.gated else "map.tensor.hidden",
        activation=_activation(config),
    )
    if config.activation == "relu" and not config.gated and is_positive:
        return f"{said} {say('map.never_negative')}"
    return said


def _activation(config: TransformerConfig) -> str:
    return say_of("map.activation", config.activation)


def tokens_of(config: TransformerConfig, side: str) -> str:
    """Describe what goes in, in a model of one text or two."""
    if config.has_cross_attention:
        return say("map.source_tokens" if side == "source" else "map.target_tokens")
    return say("map.text_tokens" if side == "source" else "map.text_tokens_so_far")


def embedding(config: TransformerConfig, side: str) -> str:
    """Describe what the embedding looks up, how it is scaled, and whose weights it has."""
    said = say(
        "map.embedding_scaled" if config.scale_embeddings else "map.embedding_says",
        d_model=config.d_model,
        vocabulary=config.source_vocab_size if side == "source" else config.target_vocab_size,
        sign="=" if math.isqrt(config.d_model) ** 2 == config.d_model else "≈",
        root=written(f"{math.sqrt(config.d_model):.4g}"),
    )
    if not config.has_cross_attention:
        is_tied = config.tying == "all" and config.head != "none"
        return f"{said} {say('map.tied_one_text')}" if is_tied else said
    if config.tying == "none" or (config.tying == "decoder" and side == "source"):
        return said
    return f"{said} {say_of('map.tied_with', f'{side}_{config.tying}')}"


def positions(config: TransformerConfig) -> str:
    """Describe how positions are told apart."""
    longest = 10000 ** ((config.d_model - 2) / config.d_model)
    kind = config.positions
    return say_of("config.position_sentence", kind, longest=longest, most=config.max_length)


def sum_of(config: TransformerConfig, stack: str) -> str:
    """Describe what is added up before the first layer."""
    added = {"positions": config.has_position_vectors, "segments": bool(config.segments)}
    parts = "_".join(name for name, is_added in added.items() if is_added) or "embeddings"
    if config.embedding_norm:
        return say_of("map.sum_before_norm", parts)
    return say_of("map.sum_of", parts, of_stack=say_of("map.of_stack", stack))


def segments(config: TransformerConfig) -> str:
    """Describe what segments are."""
    return say("map.segments_say", count=config.segments)


def embedding_norm(config: TransformerConfig) -> str:
    """Describe what the norm after the embeddings does."""
    return say("map.embedding_norm", norm=_norm(config))


def transform(config: TransformerConfig) -> str:
    """Describe what stands between the last layer and the linear one."""
    return say("map.transform_says", d_model=config.d_model, activation=_activation(config))


def attention(config: TransformerConfig, kind: AttentionKind, masks: Sequence[str]) -> str:
    """Describe who reads whom, and what the masks hide."""
    place = ""
    if kind != "cross-attention" and config.positions in ("rotary", "alibi", "relative"):
        place = say_of("map.place", config.positions)
    padding = say("map.padding_hidden" if "padding" in masks else "map.padding_read")
    return " ".join(filter(None, (_reads(config, kind, masks), place, padding)))


def _reads(config: TransformerConfig, kind: AttentionKind, masks: Sequence[str]) -> str:
    weights = _weights(config, kind)
    if not config.has_cross_attention:
        if "window" in masks:
            return say("map.reads_window", count=config.window - 1, weights=weights)
        return say_of("map.reads", "back" if "causal" in masks else "all", weights=weights)
    if kind == "decoder self-attention":
        said = "decoder_causal" if "causal" in masks else "decoder_open"
        return say_of("map.reads", said, weights=weights)
    said = "cross" if kind == "cross-attention" else "encoder"
    return say_of("map.reads", said, weights=weights)


def _weights(config: TransformerConfig, kind: AttentionKind) -> str:
    usual = math.isclose(config.scale, config.d_k**-0.5)
    scores = f"QKᵀ / √{config.d_k}" if usual else "QKᵀ"
    if not usual and config.scale != 1:
        scores = f"QKᵀ · {number_text(config.scale)}"
    if kind != "cross-attention" and config.positions in ("alibi", "relative"):
        scores = say("map.plus_bias", scores=scores)
    if config.key_value_heads == config.n_heads:
        return say("map.weights", scores=scores, count=config.n_heads)
    each = config.n_heads // config.key_value_heads
    return say("map.weights_shared", scores=scores, count=config.n_heads, each=each)


def feed_forward(config: TransformerConfig) -> str:
    """Describe what the network does with each position."""
    values = {
        "d_model": config.d_model,
        "d_ff": config.d_ff,
        "activation": _activation(config),
    }
    if config.gated:
        return say("map.feed_forward_gated", **values)
    if config.activation == "relu":
        return say("map.feed_forward_relu", **values)
    return say("map.feed_forward_through", **values)


def norm_before(config: TransformerConfig) -> str:
    """Describe what a norm before its sublayer does. The trace has its input, not its output."""
    return say("map.norm_before", norm=_norm(config))


def add_norm(config: TransformerConfig) -> str:
    """Describe how a residual connection ends, with a norm after it."""
    return say("map.add_norm_says", norm=_norm(config))


def final_norm(config: TransformerConfig, stack: str) -> str:
    """Describe what the norm after the last layer is for."""
    reader = "linear"
    if config.head == "none":
        reader = "model"
    elif stack == "encoder" and config.has_decoder:
        reader = "decoder"
    elif config.head == "transform":
        reader = "head"
    return say_of("map.final_norm_says", reader, norm=_norm(config))


def linear(config: TransformerConfig) -> str:
    """Describe what the last layer gives, and whose weights it has."""
    if not config.has_cross_attention:
        said = say("map.linear_one_text", vocabulary=config.predicted_vocab_size)
        return f"{said} {say('map.linear_tied_one_text')}" if config.tying == "all" else said
    said = say("map.linear_says", vocabulary=config.target_vocab_size)
    if config.tying == "none":
        return said
    return f"{said} {say_of('map.linear_tied', config.tying)}"


def output(config: TransformerConfig) -> str:
    """Describe what the variant hands on."""
    return say_of("map.output_says", config.output)


def _norm(config: TransformerConfig) -> str:
    return say_of("map.norm_formula", config.norm, eps=number_text(config.norm_eps))
