"""How the values of a config's fields are written, and of which part of the model each is."""

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


FIELDS = {
    "norm_placement": FieldWords(
        "norm",
        _value,
    ),
    "final_norm": FieldWords("norm", _either("yes", "no")),
    "norm": FieldWords(
        "norm",
        _value,
    ),
    "norm_eps": FieldWords("norm", number_text),
    "positions": FieldWords("positions", lambda name: say_of("config.position_formula", name)),
    "max_length": FieldWords("positions", str),
    "position_offset": FieldWords("positions", str),
    "rotary_share": FieldWords("positions", number_text),
    "rotary_base": FieldWords("positions", number_text),
    "rotary_factor": FieldWords("positions", number_text),
    "rotary_context": FieldWords("positions", str),
    "rotary_low": FieldWords("positions", number_text),
    "rotary_high": FieldWords("positions", number_text),
    "relative_buckets": FieldWords("positions", str),
    "relative_max_distance": FieldWords("positions", str),
    "segments": FieldWords("embedding", str),
    "embedding_norm": FieldWords("embedding", _either("yes", "no")),
    "scale_embeddings": FieldWords("embedding", _either("yes", "no")),
    "tying": FieldWords("embedding", lambda name: say_of("config.tying", name)),
    "source_vocab_size": FieldWords("embedding", str),
    "target_vocab_size": FieldWords("embedding", str),
    "causal_mask": FieldWords("masks", _either("hidden", "read")),
    "encoder_padding_mask": FieldWords("masks", _either("hidden", "read")),
    "decoder_padding_mask": FieldWords("masks", _either("hidden", "read")),
    "target_padding_mask": FieldWords(
        "masks",
        _target_padding,
    ),
    "window": FieldWords("masks", lambda n: str(n) if n else _value("all")),
    "mask_fill": FieldWords("masks", number_text),
    "pad_id": FieldWords("masks", str),
    "attention_bias": FieldWords("attention", _either("yes", "no")),
    "attention_output_bias": FieldWords("attention", _either("yes", "no")),
    "score_scale": FieldWords(
        "attention",
        lambda scale: "1 / √d_k" if scale is None else number_text(scale),
    ),
    "n_heads": FieldWords("attention", str),
    "n_kv_heads": FieldWords("attention", lambda n: str(n) if n else _value("own_head")),
    "d_k": FieldWords("attention", str),
    "d_v": FieldWords("attention", str),
    "head": FieldWords(
        "output",
        lambda head: _value("no_head" if head == "none" else head),
    ),
    "generator_bias": FieldWords("output", _either("yes", "no")),
    "scale_logits": FieldWords("output", _either("yes", "no")),
    "output": FieldWords(
        "output",
        _value,
    ),
    "dropout_at": FieldWords(
        "dropout",
        _points,
    ),
    "dropout": FieldWords("dropout", lambda rate: written(str(rate))),
    "d_model": FieldWords("size", str),
    "d_ff": FieldWords("size", str),
    "activation": FieldWords("size", str),
    "gated": FieldWords("size", _either("yes", "no")),
    "feed_forward_bias": FieldWords("size", _either("yes", "no")),
    "n_encoder_layers": FieldWords("size", str),
    "n_decoder_layers": FieldWords("size", str),
}
"""Every field of a config, in the order of the table."""
