"""The rules in a model's folder that restrict the tokens it may write."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor

Allow = Callable[[Float[Tensor, "rows vocab"], Int[Tensor, "rows length"]], Tensor]
"""A function that keeps the scores of allowed next tokens and sets all others to -inf."""


class MoreRules(Protocol):
    """Rules that a library computes from the ids so far."""

    def begin(
        self, given: Sequence[int], longest: int, source: Int[Tensor, "batch source"] | None
    ) -> Allow:
        """Return the rules of one text. Arguments as in `WritingRules.begin`."""
        ...


@dataclass(frozen=True)
class WritingRules:
    """The tokens that may be written, by their place in the text."""

    first: int | None = None
    """The token with which every text begins, after the start token."""
    last: int | None = None
    """The token at the last possible place of a text."""
    never: tuple[int, ...] = ()
    """The tokens that no text may contain."""
    more: MoreRules | None = None
    """All rules of a folder that has more than these; they include the three above."""

    def begin(
        self,
        given: Sequence[int],
        longest: int,
        source: Int[Tensor, "batch source"] | None = None,
    ) -> Allow:
        """Return the rules of one text.

        Args:
            given: Ids of the text before the model writes.
            longest: The largest number of ids of the text, the given ones included.
            source: The input of the encoder, if there is one.
        """
        if self.more is not None:
            return self.more.begin(given, longest, source)

        def allow(scores: Tensor, ids: Tensor) -> Tensor:
            if ids.size(-1) == longest - 1 and self.last is not None:
                return _only(self.last, scores)
            if ids.size(-1) == 1 and self.first is not None:
                return _only(self.first, scores)
            if self.never:
                scores = scores.clone()
                scores[..., list(self.never)] = -torch.inf
            return scores

        return allow


NO_RULES = WritingRules()


def ending(end: int | Collection[int] | None) -> frozenset[int]:
    """Return the ids that each end a text, from one id, several, or none."""
    if end is None:
        return frozenset()
    return frozenset((end,) if isinstance(end, int) else end)


def _only(id: int, scores: Tensor) -> Tensor:
    """Return scores that allow only one token, which gets the score 0 as in transformers."""
    scores = torch.full_like(scores, -torch.inf)
    scores[..., id] = 0
    return scores
