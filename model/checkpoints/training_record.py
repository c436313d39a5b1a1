"""What a checkpoint records of its training and its scores: the fields that are read, and how.

A model that was made in another way has none of them. What else stands there is kept and not read.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from model.config import TransformerConfig
from model.files.json_fields import shorten

_MOST = 10**12
"""Largest number that is recorded: beyond any training, and nothing computed from it overflows."""


class _Rule(NamedTuple):
    words: str
    holds: Callable[[Any], bool]


def _is_whole(value: object) -> bool:
    return type(value) is int


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and type(value) is not bool and abs(value) <= _MOST


def _is_share(value: Any) -> bool:  # noqa: ANN401 - anything that JSON holds
    return _is_number(value) and 0 <= value <= 1


def _is_match(value: Any) -> bool:  # noqa: ANN401
    return (
        type(value) is list and len(value) == 2 and _COUNT.holds(value[0]) and _is_share(value[1])
    )


def _is_place(value: Any) -> bool:  # noqa: ANN401
    return (
        type(value) is dict
        and all(name in value and _COUNT.holds(value[name]) for name in ("layer", "head"))
        and _is_share(value.get("all_tokens", 0))
        and (value.get("content_words") is None or _is_share(value["content_words"]))
    )


def _is_head(value: Any) -> bool:  # noqa: ANN401
    return _is_place(value) and "all_tokens" in value


def _is_construction(value: Any) -> bool:  # noqa: ANN401
    return (
        type(value) is dict
        and type(value.get("name")) is str
        and _COUNT.holds(value.get("sentences"))
        and _is_share(value.get("exact_match"))
    )


def _is_kind(value: Any) -> bool:  # noqa: ANN401
    return (
        type(value) is dict
        and type(value.get("name")) is str
        and _COUNT.holds(value.get("words"))
        and _is_share(value.get("right"))
    )


def _is_reading(value: Any) -> bool:  # noqa: ANN401
    return (
        type(value) is dict
        and all(_COUNT.holds(value.get(name)) for name in ("layer", "head"))
        and all(_is_weight(value.get(name)) for name in ("looks", "previous"))
    )


def _is_weight(value: Any) -> bool:  # noqa: ANN401 - a mean of sums of weights, rounded
    return _is_number(value) and 0 <= value < 1.01


def _list_of(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: type(value) is list and all(map(holds, value))


def _or_null(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or holds(value)


_POSITIVE = _Rule("a whole number of at least 1", lambda v: _is_whole(v) and 1 <= v <= _MOST)
_COUNT = _Rule("a whole number of at least 0", lambda v: _is_whole(v) and 0 <= v <= _MOST)

_TRAINING = {
    "steps": _POSITIVE,
    "batch_size": _POSITIVE,
    "warmup": _POSITIVE,
    "factor": _Rule("a positive number", lambda v: _is_number(v) and v > 0),
    "label_smoothing": _Rule("a number from 0 to below 1", lambda v: _is_share(v) and v < 1),
    "seed": _Rule("a whole number", _is_whole),
    "cooldown": _COUNT,
    "step": _COUNT,
    "parameters": _POSITIVE,
    "loss_every": _POSITIVE,
    "losses": _Rule("a list of numbers", _list_of(_is_number)),
    "exact_matches": _Rule("a list of [step, share]", _list_of(_is_match)),
}
_SCORES = {
    "sentences": _COUNT,
    "exact_match": _Rule("a number from 0 to 1", _is_share),
    "loss": _Rule("a number of at least 0", lambda v: _is_number(v) and v >= 0),
    "chance": _Rule("a number from 0 to 1, or null", _or_null(_is_share)),
    "best_head": _Rule("an object with layer and head, or null", _or_null(_is_place)),
    "heads": _Rule("a list of objects with layer, head and all_tokens", _list_of(_is_head)),
    "constructions": _Rule(
        "a list of objects with name, sentences and exact_match", _list_of(_is_construction)
    ),
    "texts": _COUNT,
    "right": _Rule("a number from 0 to 1", _is_share),
    "other_loss": _Rule(
        "a number of at least 0, or null", _or_null(lambda v: _is_number(v) and v >= 0)
    ),
    "kinds": _Rule("a list of objects with name, words and right", _list_of(_is_kind)),
    "looks": _Rule("a list of objects with layer, head, looks and previous", _list_of(_is_reading)),
}
_TOGETHER = {
    "losses": ("step", "loss_every", "warmup", "factor"),
    "cooldown": ("steps",),
    "exact_match": ("loss",),
    "right": ("loss", "kinds", "looks"),
}
"""Fields that are read with another one."""


def check_training(values: Mapping[str, Any]) -> None:
    """Raise ValueError unless the fields that are read of a record of a training can be used."""
    _check(values, _TRAINING, "training")
    if (cooldown := values.get("cooldown", 0)) > values.get("steps", 0):
        raise ValueError(f"cooldown of training is of {values['steps']} steps, got {cooldown}")


def check_scores(values: Mapping[str, Any], config: TransformerConfig) -> None:
    """Raise ValueError unless the fields that are read of a model's scores can be used."""
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
            f"{name} of scores must be each of the {layers} times {heads} heads of "
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
