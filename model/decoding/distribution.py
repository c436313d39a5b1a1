"""From logits to tokens: log-probabilities, the best few, random draws."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

_ROUNDING = 1e-6
"""Float32 logits give a probability no more exactly than this, so neither is top-p."""


def log_softmax(
    logits: Float[Tensor, "*batch target_vocab"],
) -> Float[Tensor, "*batch target_vocab"]:
    """Log-probabilities in float64, so that sums along a path stay exact."""
    return logits.double().log_softmax(dim=-1)


def best_first(values: Float[Tensor, " n"], count: int) -> Int[Tensor, " best"]:
    """Places of the `count` largest values, the earlier place first among equals.

    `topk` and an unstable sort leave the order of equals open.
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
    """Return the probabilities, in float64, that a token is drawn from.

    First the logits are divided by the temperature, then all but the `top_k` most probable tokens
    are left out, then all but the smallest set of the most probable whose mass, after top-k,
    reaches `top_p`: always at least one. Among equals the lower ids stay.
    """
    check_sampling(temperature=temperature, top_k=top_k, top_p=top_p)
    # The largest becomes 0 first, so that no temperature is too small to divide by.
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
    # Strictly above the number drawn, so a token of probability 0 never comes.
    return int(torch.searchsorted(cumulative, uniform * cumulative[-1], right=True))


def check_sampling(*, temperature: float, top_k: int | None, top_p: float | None) -> None:
    """Raise ValueError on what makes no distribution."""
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, got {temperature}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k must be at least 1, got {top_k}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1, got {top_p}")
