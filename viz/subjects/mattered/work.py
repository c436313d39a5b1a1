"""Estimates the work of patching all cells of some pairs, and says when it is too much."""

from collections.abc import Sequence

from model.attribution.patched_cells import Cell, cells
from model.attribution.patching import Contest
from model.attribution.text_patching import text_cells
from model.transformer import Transformer
from texts import say

_MOST_WORK, _LONG_WORK = 1.5e12, 1e11
"""Runs times tokens times parameters: the most that a reader waits for, and the most unasked."""


def count_runs(model: Transformer, contests: Sequence[Contest]) -> int:
    """Return how often a model is run to patch all cells of some pairs."""
    return sum(len(_cells(model, which)) for which in contests)


def takes_long(model: Transformer, contests: Sequence[Contest]) -> bool:
    """Return whether patching takes so long that it must not start by itself."""
    which = contests[0]
    tokens = len(which.corrupt) + (len(which.prefix) if model.config.has_cross_attention else 0)
    return count_runs(model, contests) * model.n_parameters * tokens > _LONG_WORK


def within_reach(model: Transformer, contests: Sequence[Contest]) -> tuple[Contest, ...]:
    """Return pairs of texts, if patching them all does not take minutes. Raises ValueError."""
    tokens = len(contests[0].clean)
    most = int(_MOST_WORK / _work(model, tokens))
    if len(contests) <= most:
        return tuple(contests)
    if most:
        raise ValueError(say("mattered.takes_too_long", most=most))
    fit = sum(_work(model, size) <= _MOST_WORK for size in range(1, tokens))
    raise ValueError(say("mattered.too_long_for_it", most=fit, count=tokens))


def _work(model: Transformer, tokens: int) -> float:
    """Estimate the work of patching one pair of texts with a number of tokens."""
    return float(model.n_parameters * tokens * len(text_cells(model.config, tokens)))


def _cells(model: Transformer, which: Contest) -> tuple[Cell, ...]:
    if model.config.has_cross_attention:
        return cells(model.config, len(which.corrupt), len(which.prefix))
    return text_cells(model.config, len(which.clean))
