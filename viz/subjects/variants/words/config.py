"""How the values of a config's fields are written, and where in the model each acts."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from texts import say_of
from texts.saying import written
from viz.pictures.numbers import number_text

Part = Literal["norm", "positions", "masks", "embedding", "attention", "output", "dropout", "size"]


class FieldWords(NamedTuple):
    """One field; what it is called `say_of("variants.field", ...)` says."""

    part: Part
    """Of the model, where it acts."""
    roles: tuple[str, ...]
    """Of the map's blocks where it acts: all of a role, `role:kind` of attention, or `role:stack`;
    none where it acts only during training, or everywhere."""
    write: Callable[[Any], str]
    """Puts a value into words."""


def _value(name: str) -> str:
    return say_of("variants.value", name)


def _either(yes: str, no: str) -> Callable[[bool], str]:
    return lambda value: _value(yes if value else no)


def _target_padding(hidden: bool | None) -> str:
    return _value("as_decoder" if hidden is None else "hidden" if hidden else "read")


_DROPOUT_POINTS = ("embedding", "attention_weights", "feed_forward_hidden", "sublayer_output")


def _points(points: frozenset[str]) -> str:
    found = [point for point in _DROPOUT_POINTS if point in points]
    return ", ".join(say_of("variants.dropout_point", point) for point in found)


_NORMS = ("norm", "add_norm", "final_norm")

FIELDS = {
    "norm_placement": FieldWords("norm", ("norm", "add_norm", "add"), _value),
    "final_norm": FieldWords("norm", ("final_norm",), _either("yes", "no")),
    "norm": FieldWords("norm", _NORMS, _value),
    "norm_eps": FieldWords("norm", _NORMS, number_text),
    "positions": FieldWords(
        "positions", ("positions",), lambda name: say_of("config.position_formula", name)
    ),
    "max_length": FieldWords("positions", ("positions",), str),
    "position_offset": FieldWords("positions", ("positions",), str),
    "rotary_share": FieldWords("positions", ("attention",), number_text),
    "rotary_base": FieldWords("positions", ("attention",), number_text),
    "rotary_factor": FieldWords("positions", ("attention",), number_text),
    "rotary_context": FieldWords("positions", ("attention",), str),
    "rotary_low": FieldWords("positions", ("attention",), number_text),
    "rotary_high": FieldWords("positions", ("attention",), number_text),
    "relative_buckets": FieldWords("positions", ("attention",), str),
    "relative_max_distance": FieldWords("positions", ("attention",), str),
    "segments": FieldWords("embedding", ("embedding",), str),
    "embedding_norm": FieldWords("embedding", ("embedding",), _either("yes", "no")),
    "scale_embeddings": FieldWords("embedding", ("embedding",), _either("yes", "no")),
    "tying": FieldWords(
        "embedding", ("embedding", "linear"), lambda name: say_of("config.tying", name)
    ),
    "source_vocab_size": FieldWords("embedding", ("embedding:encoder",), str),
    "target_vocab_size": FieldWords("embedding", ("embedding:decoder", "linear"), str),
    "causal_mask": FieldWords(
        "masks", ("attention:decoder self-attention",), _either("hidden", "read")
    ),
    "encoder_padding_mask": FieldWords(
        "masks", ("attention:encoder self-attention",), _either("hidden", "read")
    ),
    "decoder_padding_mask": FieldWords(
        "masks",
        ("attention:decoder self-attention", "attention:cross-attention"),
        _either("hidden", "read"),
    ),
    "target_padding_mask": FieldWords(
        "masks", ("attention:decoder self-attention",), _target_padding
    ),
    "window": FieldWords(
        "masks", ("attention:decoder self-attention",), lambda n: str(n) if n else _value("all")
    ),
    "mask_fill": FieldWords("masks", ("attention",), number_text),
    "pad_id": FieldWords("masks", ("tokens",), str),
    "attention_bias": FieldWords("attention", ("attention",), _either("yes", "no")),
    "attention_output_bias": FieldWords("attention", ("attention",), _either("yes", "no")),
    "score_scale": FieldWords(
        "attention",
        ("attention",),
        lambda scale: "1 / √d_k" if scale is None else number_text(scale),
    ),
    "n_heads": FieldWords("attention", ("attention",), str),
    "n_kv_heads": FieldWords(
        "attention", ("attention",), lambda n: str(n) if n else _value("own_head")
    ),
    "d_k": FieldWords("attention", ("attention",), str),
    "d_v": FieldWords("attention", ("attention",), str),
    "head": FieldWords(
        "output", ("linear",), lambda head: _value("no_head" if head == "none" else head)
    ),
    "generator_bias": FieldWords("output", ("linear",), _either("yes", "no")),
    "scale_logits": FieldWords("output", ("linear",), _either("yes", "no")),
    "output": FieldWords("output", ("output",), _value),
    "dropout_at": FieldWords("dropout", (), _points),
    "dropout": FieldWords("dropout", (), lambda rate: written(str(rate))),
    "d_model": FieldWords("size", (), str),
    "d_ff": FieldWords("size", ("feed_forward",), str),
    "activation": FieldWords("size", ("feed_forward",), str),
    "gated": FieldWords("size", ("feed_forward",), _either("yes", "no")),
    "feed_forward_bias": FieldWords("size", ("feed_forward",), _either("yes", "no")),
    "n_encoder_layers": FieldWords("size", (), str),
    "n_decoder_layers": FieldWords("size", (), str),
}
"""Every field of a config, in the order of the table."""
