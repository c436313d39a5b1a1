"""Checks the fields that a checkpoint records about its training and its scores.

A model made in another way has none of these fields. Further fields are kept but not read.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from model.config import TransformerConfig
from model.files.json_fields import shorten

_MOST = 10**12
"""The largest recorded number: larger than any training needs, and too small to overflow."""


Holds = Callable[[Any], bool]


class _Rule(NamedTuple):
    words: str
    holds: Holds


def _number(least: float, most: float = _MOST) -> Holds:
    return lambda v: isinstance(v, int | float) and type(v) is not bool and least <= v <= most


def _whole(least: int) -> Holds:
    return lambda value: type(value) is int and least <= value <= _MOST


def _list_of(holds: Holds) -> Holds:
    return lambda value: type(value) is list and all(map(holds, value))


def _or_null(holds: Holds) -> Holds:
    return lambda value: value is None or holds(value)


def _object(needed: Mapping[str, Holds], **more: Holds) -> Holds:
    """Make a check for an object with required and optional fields, and any others."""

    def holds(value: Any) -> bool:  # noqa: ANN401 - anything that JSON holds
        if type(value) is not dict or not needed.keys() <= value.keys():
            return False
        return all(rule(value[n]) for n, rule in {**needed, **more}.items() if n in value)

    return holds


def _is_match(value: Any) -> bool:  # noqa: ANN401
    return type(value) is list and len(value) == 2 and _whole(0)(value[0]) and _SHARE(value[1])


def _is_text(value: object) -> bool:
    return type(value) is str


_SHARE = _number(0, 1)
_WEIGHT = _number(0, 1.01)  # a mean of sums of weights, rounded
_POSITIVE = _Rule("a whole number of at least 1", _whole(1))
_COUNT = _Rule("a whole number of at least 0", _whole(0))
_LOSS = _Rule("a number of at least 0", _number(0))
_PLACE = {"layer": _whole(0), "head": _whole(0)}
_IN_PLACE = {"all_tokens": _SHARE, "content_words": _or_null(_SHARE)}

_TRAINING = {
    "steps": _POSITIVE,
    "batch_size": _POSITIVE,
    "warmup": _POSITIVE,
    "factor": _Rule("a positive number", _number(math.ulp(0.0))),
    "label_smoothing": _Rule("a number from 0 to below 1", _number(0, math.nextafter(1, 0))),
    "seed": _Rule("a whole number", lambda value: type(value) is int),
    "cooldown": _COUNT,
    "step": _COUNT,
    "parameters": _POSITIVE,
    "loss_every": _POSITIVE,
    "losses": _Rule("a list of numbers", _list_of(_number(-_MOST))),
    "exact_matches": _Rule("a list of [step, share]", _list_of(_is_match)),
}
_SCORES = {
    "sentences": _COUNT,
    "exact_match": _Rule("a number from 0 to 1", _SHARE),
    "loss": _LOSS,
    "chance": _Rule("a number from 0 to 1, or null", _or_null(_SHARE)),
    "best_head": _Rule(
        "an object with layer and head, or null", _or_null(_object(_PLACE, **_IN_PLACE))
    ),
    "heads": _Rule(
        "a list of objects with layer, head and all_tokens",
        _list_of(_object({**_PLACE, "all_tokens": _SHARE}, **_IN_PLACE)),
    ),
    "constructions": _Rule(
        "a list of objects with name, sentences and exact_match",
        _list_of(_object({"name": _is_text, "sentences": _whole(0), "exact_match": _SHARE})),
    ),
    "texts": _COUNT,
    "right": _Rule("a number from 0 to 1", _SHARE),
    "other_loss": _Rule("a number of at least 0, or null", _or_null(_LOSS.holds)),
    "kinds": _Rule(
        "a list of objects with name, words and right",
        _list_of(_object({"name": _is_text, "words": _whole(0), "right": _SHARE})),
    ),
    "looks": _Rule(
        "a list of objects with layer, head, looks and previous",
        _list_of(_object({**_PLACE, "looks": _WEIGHT, "previous": _WEIGHT})),
    ),
}
_TOGETHER = {
    "losses": ("step", "loss_every", "warmup", "factor"),
    "cooldown": ("steps",),
    "exact_match": ("loss",),
    "right": ("loss", "kinds", "looks"),
}
"""The fields that another field requires."""


def check_training(values: Mapping[str, Any]) -> None:
    """Raise ValueError unless the fields of a training record are usable."""
    _check(values, _TRAINING, "training")
    if (cooldown := values.get("cooldown", 0)) > values.get("steps", 0):
        raise ValueError(
            f"cooldown of training must be at most its {values['steps']} steps, got {cooldown}"
        )


def check_scores(values: Mapping[str, Any], config: TransformerConfig) -> None:
    """Raise ValueError unless the fields of a model's scores are usable."""
    _check(values, _SCORES, "scores")
    layers = config.n_decoder_layers
    _check_places(values.get("heads", ()), layers, config.n_heads, "heads", "cross-attention")
    layers = layers or config.n_encoder_layers
    _check_places(values.get("looks", ()), layers, config.n_heads, "looks", "self-attention")


def _check_places(
    found: Sequence[Mapping[str, Any]], layers: int, heads: int, name: str, attention: str
) -> None:
    places = sorted((head["layer"], head["head"]) for head in found)
    every = ((layer, head) for layer in range(layers) for head in range(heads))
    if places and (len(places) != layers * heads or places != list(every)):
        raise ValueError(
            f"{name} of scores must list each of the {layers} times {heads} heads of "
            f"{attention} once, or none, got {len(places)}"
        )


def _check(values: Mapping[str, Any], rules: Mapping[str, _Rule], where: str) -> None:
    for name, rule in rules.items():
        if name not in values:
            continue
        if not rule.holds(values[name]):
            raise ValueError(f"{name} of {where} must be {rule.words}, got {shorten(values[name])}")
        if missing := [other for other in _TOGETHER.get(name, ()) if other not in values]:
            raise ValueError(f"{where} with {name} needs {', '.join(missing)}")
