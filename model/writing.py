"""What a model's folder says of how it writes, beside the numbers that the model gives."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor

Allow = Callable[[Float[Tensor, "rows vocab"], Int[Tensor, "rows length"]], Tensor]
"""The scores of the tokens that may follow each row of ids, and minus infinity for the others."""


class MoreRules(Protocol):
    """Rules that others compute from the ids so far."""

    def begin(
        self, given: Sequence[int], longest: int, source: Int[Tensor, "batch source"] | None
    ) -> Allow:
        """Return the rules of one text. Arguments as in `WritingRules.begin`."""
        ...


@dataclass(frozen=True)
class WritingRules:
    """Which tokens may be written where."""

    first: int | None = None
    """The one that every text begins with, after the start token."""
    last: int | None = None
    """The one at the last place that a text may have."""
    never: tuple[int, ...] = ()
    """Those that no text has."""
    more: MoreRules | None = None
    """All rules of a folder that says more; they include the three above."""

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
    """Return the ids of which each ends a text: of one, of several, or of none."""
    if end is None:
        return frozenset()
    return frozenset((end,) if isinstance(end, int) else end)


def _only(id: int, scores: Tensor) -> Tensor:
    """Return scores that leave one token, which has the score 0 as in transformers."""
    scores = torch.full_like(scores, -torch.inf)
    scores[..., id] = 0
    return scores
