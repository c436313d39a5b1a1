"""The outputs of two runs step by step: their distance, and the tokens that gained or lost."""

from typing import NamedTuple

import numpy as np

from viz.heads.text_alignment import Pair, Pairs
from viz.run.record import Run
from viz.subjects.compare.divergence import share_moved

_MOST_TOKENS = 4


class TokenChange(NamedTuple):
    """The probability of one token in each run."""

    token: str
    a: float
    b: float


class StepChange(NamedTuple):
    """One step of decoding in two runs."""

    steps: Pair
    """The numbers of the step in A and in B."""
    moved: float
    """The share of the probability that lies on other tokens."""
    tokens: tuple[TokenChange, ...]
    """The tokens whose probability changed most, the largest change first."""


def share_vocabulary(a: Run, b: Run) -> bool:
    """Return whether the outputs of two runs have the same tokens."""
    ours, theirs = (run.info.tokenizers.target for run in (a, b))
    return dict(ours.vocabulary) == dict(theirs.vocabulary)


def step_changes(a: Run, b: Run, rows: Pairs) -> tuple[StepChange, ...]:
    """Compare the output distributions of the steps that write paired tokens.

    Args:
        a: The run in view.
        b: The other run, with the same vocabulary.
        rows: The pairs of steps.
    """
    return tuple(_change(a, b, i, j) for i, j in rows if i is not None and j is not None)


def _change(a: Run, b: Run, i: int, j: int) -> StepChange:
    p, q = (run.steps[at].probabilities.double().numpy() for run, at in ((a, i), (b, j)))
    largest = np.argsort(-np.abs(q - p), kind="stable")[:_MOST_TOKENS]
    token = a.info.tokenizers.target.token
    tokens = (TokenChange(token(int(id)), float(p[id]), float(q[id])) for id in largest)
    return StepChange(
        steps=(i, j),
        moved=float(share_moved(p[None], q[None])[0]),
        tokens=tuple(change for change in tokens if change.a != change.b),
    )
