"""How the configs of variants differ from the paper's, in words."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from model.config import TransformerConfig
from texts import say_of
from viz.pictures.numbers import number_text
from viz.subjects.variants.reading_ahead import PAPER


class Difference(NamedTuple):
    """One field in which a variant is not as the paper."""

    field: str
    words: str
    own: str
    """Its value, in plain words."""
    papers: str


def _value(name: str) -> str:
    return say_of("variants.value", name)


def _either(yes: str, no: str) -> Callable[[bool], str]:
    return lambda value: _value(yes if value else no)


_DROPOUT_POINTS = ("embedding", "attention_weights", "feed_forward_hidden", "sublayer_output")


def _points(points: frozenset[str]) -> str:
    found = [point for point in _DROPOUT_POINTS if point in points]
    return ", ".join(say_of("variants.dropout_point", point) for point in found)


FIELDS: Mapping[str, Callable[[Any], str]] = {
    "norm_placement": _value,
    "final_norm": _either("yes", "no"),
    "norm": _value,
    "norm_eps": number_text,
    "positions": lambda name: say_of("config.position_formula", name),
    "scale_embeddings": _either("yes", "no"),
    "tying": lambda name: say_of("config.tying", name),
    "causal_mask": _either("hidden", "read"),
    "encoder_padding_mask": _either("hidden", "read"),
    "decoder_padding_mask": _either("hidden", "read"),
    "mask_fill": number_text,
    "attention_bias": _either("yes", "no"),
    "output": _value,
    "dropout_at": _points,
}
"""Every field in which a write-up of the paper differs from it, and what puts its value into words;
what the field is called `say_of("variants.field", ...)` says."""


def differences(configs: Mapping[str, TransformerConfig]) -> dict[str, tuple[Difference, ...]]:
    """List by variant in which fields it is not as the paper, whose config is among them."""
    paper = configs[PAPER]
    return {
        variant: tuple(
            Difference(
                field, say_of("variants.field", field), write(own), write(getattr(paper, field))
            )
            for field, write in FIELDS.items()
            if (own := getattr(config, field)) != getattr(paper, field)
        )
        for variant, config in configs.items()
        if variant != PAPER
    }
