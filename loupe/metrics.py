"""Metrics: a number computed from the logits of a run."""

from collections.abc import Callable
from numbers import Number
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor

from loupe.runners import Numbers, Runner, Token

Metric = Callable[[Float[Tensor, "position vocab"]], Tensor] | Token | tuple[Token, Token]
"""A function from a run's logits to one number; or a token, for its logit in the last row; or a
pair of tokens, for the difference of their logits there."""
_CHOICES = (
    "a token, a pair of tokens, whose logits are subtracted, or a function from the logits "
    "(position vocab) to a number"
)


def all_numbers_of(runner: Runner, metric: Metric | list[Metric], count: int) -> list[Numbers]:
    """Make a function from logits to a number for each text, from one metric or a list of them.

    Raises ValueError if the list has another length.
    """
    if not isinstance(metric, list):
        return [numbers_of(runner, metric)] * count
    if len(metric) != count:
        raise ValueError(
            f"a metric must be {_CHOICES}, or a list of {count} of them, one for each text, got a "
            f"list of {len(metric)}"
        )
    return [numbers_of(runner, each) for each in metric]


def numbers_of(runner: Runner, metric: Metric) -> Numbers:
    """Make a function from logits to one number.

    Raises TypeError if this is not a metric, ValueError if the vocabulary lacks a token.
    """
    if callable(metric):
        return lambda logits: _one_number(metric(logits))
    asked = metric if isinstance(metric, tuple) else (metric,)
    if isinstance(metric, tuple) and len(metric) != 2:
        raise ValueError(f"a metric must be {_CHOICES}, got {len(metric)} tokens: {metric!r}")
    for token in asked:
        if not _is_token(token):
            raise TypeError(f"a metric must be {_CHOICES}, got {metric!r}")
    ids = [runner.id_of(cast(Token, token)) for token in asked]

    def lead(logits: Float[Tensor, "position vocab"]) -> Tensor:
        for id in ids:
            if not 0 <= id < logits.size(-1):
                raise ValueError(f"a token must be 0 to {logits.size(-1) - 1}, got {id}")
        return logits[-1, ids[0]] - (logits[-1, ids[1]] if len(ids) > 1 else 0)

    return lead


def id_of(runner: Runner, token: object) -> int:
    """Find the id of a token. Raises TypeError on anything else, ValueError on an unknown one."""
    if not _is_token(token):
        raise TypeError(f"a token must be its text or its id, got {token!r}")
    return runner.id_of(cast(Token, token))


def _is_token(given: object) -> bool:
    return isinstance(given, str | int) and not isinstance(given, bool)


def _one_number(given: object) -> Tensor:
    if isinstance(given, Tensor) and given.numel() == 1:
        return given.reshape(())
    if isinstance(given, Number) and not isinstance(given, complex):
        return torch.tensor(given, dtype=torch.float64)
    got = tuple(given.shape) if isinstance(given, Tensor) else type(given).__name__
    raise ValueError(f"a metric must return one number, got {got}")
