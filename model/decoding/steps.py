"""The steps of a decoding: one token each, and the model's prediction there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.decoding.distribution import best_first, log_softmax


@dataclass(frozen=True)
class Candidate:
    """One token that a step could write."""

    token: int
    probability: float
    log_probability: float
    rank: int
    """The rank, 0 for the most probable."""


@dataclass(frozen=True, eq=False)
class DecodingStep:
    """One written token and the model's prediction there."""

    index: int
    """0 for the first token after `<s>`."""
    token: int
    forced: bool
    """Whether the token was given rather than chosen."""
    row: Float[Tensor, " target_vocab"] | Callable[[], Float[Tensor, " target_vocab"]]
    """The logits of the step, or a function that computes them again."""
    log_probability: float
    """The log-probability of `token`, in nats, under the softmax of the logits."""
    entropy: float
    """The entropy of that softmax, in nats."""
    cache_bytes: int
    """The size of the cache, in bytes, before the pass of this step: 0 for a first pass, which
    reads the whole prefix, and without a cache."""
    cached_positions: int
    """The number of target positions in that cache."""

    @property
    def logits(self) -> Float[Tensor, " target_vocab"]:
        """The generator's row that predicts this token, before any temperature, on the CPU."""
        return self.row if isinstance(self.row, Tensor) else self.row()

    @property
    def probabilities(self) -> Float[Tensor, " target_vocab"]:
        """Softmax of the logits."""
        return self.logits.softmax(dim=-1)

    @property
    def rank(self) -> int:
        """The number of tokens ranked before `token`; 0 if it is the model's choice."""
        logits = self.logits
        mine = logits[self.token]
        before = int((logits > mine).sum())
        return before + int((logits[: self.token] == mine).sum())

    def candidates(self, n: int = 10) -> tuple[Candidate, ...]:
        """List the n most probable tokens, best first, the lower id first among equals."""
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n}")
        logits = self.logits
        tokens = best_first(logits, n)
        log_probabilities = log_softmax(logits)[tokens]
        values = zip(
            tokens.tolist(),
            log_probabilities.exp().tolist(),
            log_probabilities.tolist(),
            strict=True,
        )
        return tuple(Candidate(*value, rank=rank) for rank, value in enumerate(values))


def steps_of(
    logits: Float[Tensor, "target target_vocab"], target_ids: Sequence[int]
) -> tuple[DecodingStep, ...]:
    """Return the steps of a forced target whose logits are known: row t predicts its id t.

    Equals `score` if a causal mask hides later tokens from each row.
    """
    return tuple(
        step_of(index, token, True, row)
        for index, (token, row) in enumerate(zip(target_ids, logits, strict=True))
    )


@torch.inference_mode()
def step_of(
    index: int,
    token: int,
    forced: bool,
    logits: Float[Tensor, " target_vocab"],
    *,
    cache_bytes: int = 0,
    cached_positions: int = 0,
) -> DecodingStep:
    """Return the step that wrote or was given a token, from its logits and its cache."""
    log_probabilities = log_softmax(logits)
    return DecodingStep(
        index=index,
        token=token,
        forced=forced,
        row=logits,
        log_probability=log_probabilities[token].item(),
        entropy=torch.special.entr(log_probabilities.exp()).sum().item(),
        cache_bytes=cache_bytes,
        cached_positions=cached_positions,
    )
