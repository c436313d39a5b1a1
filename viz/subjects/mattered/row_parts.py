"""The contributions to the lead of one token over another: parts of the decoder."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from model.attribution.logits import Addend
from model.config import TransformerConfig
from model.decoding.distribution import best_first
from model.traces import present
from viz.run.record import Run

_LEAST_SHOWN = 0.02
"""The share of the largest contribution below which parts are counted together."""
_RIVALS = 6


@dataclass(frozen=True)
class Lead:
    """The lead of the written token over another one, and the contributions to it."""

    token: str
    other: str
    lead: float
    """The lead from the logits that the run computed."""
    shown: tuple[Addend, ...]
    """The contributions, in the order of the model."""
    rest: float
    """The sum of those too small to be shown."""
    rest_count: int

    @property
    def total(self) -> float:
        """Return the sum of all parts."""
        return sum(part.value for part in self.shown) + self.rest

    @property
    def error(self) -> float:
        """Compute how far the sum is from the lead."""
        return self.total - self.lead


def rivals(run: Run, step: int) -> tuple[int, ...]:
    """List the most probable tokens of a step except the written one, the best first."""
    found = best_first(run.steps[step].logits, _RIVALS + 1).tolist()
    return tuple(id for id in found if id != run.steps[step].token)[:_RIVALS]


def can_be_split(config: TransformerConfig) -> bool:
    """Return whether a logit is a sum over parts, because no activation comes before the logits."""
    return config.has_decoder and config.head == "linear"


def make_lead(run: Run, step: int, other: int, addends: Sequence[Addend]) -> Lead:
    """Compare the sum of the contributions with the logits of the run."""
    written, row = run.steps[step].token, present(run.trace.logits)[0, step]
    largest = max((abs(part.value) for part in addends), default=0.0)
    shown = [part for part in addends if abs(part.value) >= _LEAST_SHOWN * largest]
    small = [part for part in addends if abs(part.value) < _LEAST_SHOWN * largest]
    names = run.info.tokenizers.target
    return Lead(
        token=names.token(written),
        other=names.token(other),
        lead=float(row[written] - row[other]),
        shown=tuple(shown),
        rest=math.fsum(part.value for part in small),
        rest_count=len(small),
    )
