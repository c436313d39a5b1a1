"""How often each measure of attribution agrees with the gold alignment and with word swaps.

The files of `recorded/measures/` hold the findings of `sample_data.measures` on each checkpoint.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

POSITION = "position"
"""The baseline: the source token as far along its text as the row is along its own."""


@dataclass(frozen=True)
class Agreement:
    """One measure over held-out sentences."""

    gold: float | None
    """The share of rows in which its largest number is at a gold source token."""
    swap: float | None
    """The share of rows in which its largest number is at the word with the costliest swap."""
    rank: float | None
    """The mean over those rows of its rank correlation with the costs of swaps (Spearman)."""


@dataclass(frozen=True)
class Agreements:
    """All measures of a checkpoint."""

    folder: ClassVar[str] = "measures"
    weights: str
    """The SHA-256 of the file of the measured weights; the record holds for no others."""
    sentences: int
    """The number of held-out sentences, the first of the file."""
    gold_rows: int
    """The number of rows that have a gold source token."""
    swap_rows: int
    """The number of rows in which some swap costs enough, of at least three words to swap."""
    least_cost: float
    """The cost in nats that is enough."""
    steps: int
    """The number of steps of integrated gradients."""
    mean_error: float
    """The mean error of their sum over all rows, in nats."""
    largest_error: float
    measures: Mapping[str, Agreement]
