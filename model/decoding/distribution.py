"""From logits to tokens: log-probabilities, the best few, random draws."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

_ROUNDING = 1e-6
"""The precision of probabilities from float32 logits, and so of top-p."""


def log_softmax(
    logits: Float[Tensor, "*batch target_vocab"],
) -> Float[Tensor, "*batch target_vocab"]:
    """Return log-probabilities in float64, so that sums along a path stay exact."""
    return logits.double().log_softmax(dim=-1)


def best_first(values: Float[Tensor, " n"], count: int) -> Int[Tensor, " best"]:
    """Return the indices of the `count` largest values, the lower index first among equals.

    `topk` and an unstable sort do not define the order of equals.
    """
    if count < len(values):
        places = (values >= values.topk(count).values[-1]).nonzero().squeeze(1)
    else:
        places = torch.arange(len(values))
    order = values[places].argsort(descending=True, stable=True)
    return places[order[:count]]


def sampling_distribution(
    logits: Float[Tensor, " target_vocab"],
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Float[Tensor, " target_vocab"]:
    """Return the probabilities, in float64, from which a token is drawn.

    The logits are divided by the temperature. Then only the `top_k` most probable tokens remain,
    and of these the smallest set of the most probable whose mass reaches `top_p`, at least one.
    Among equals the lower ids remain.
    """
    check_sampling(temperature=temperature, top_k=top_k, top_p=top_p)
    # Subtracting the largest first allows any temperature, however small.
    scaled = (logits.double() - logits.max()) / temperature
    order = scaled.argsort(descending=True, stable=True)
    probabilities = scaled[order[:top_k]].softmax(dim=-1)
    if top_p is not None and top_p < 1:
        before = probabilities.cumsum(dim=-1) - probabilities
        kept = int((before < top_p - _ROUNDING).sum())
        probabilities = probabilities[: max(kept, 1)]
        probabilities = probabilities / probabilities.sum()
    return torch.zeros_like(scaled).scatter(0, order[: len(probabilities)], probabilities)


def draw(probabilities: Float[Tensor, " target_vocab"], generator: torch.Generator) -> int:
    """Draw one token with one number of the generator, by inverting the cumulative distribution."""
    cumulative = probabilities.cumsum(dim=-1)
    uniform = torch.rand(1, generator=generator, dtype=cumulative.dtype)
    # Strictly above the number drawn, so a token of probability 0 is never chosen.
    return int(torch.searchsorted(cumulative, uniform * cumulative[-1], right=True))


def check_sampling(*, temperature: float, top_k: int | None, top_p: float | None) -> None:
    """Raise ValueError if the options define no distribution."""
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, got {temperature}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k must be at least 1, got {top_k}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1, got {top_p}")
