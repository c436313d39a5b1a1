"""How often each measure of what mattered agrees with the gold alignment and with swapping words.

What `sample_data.measures` found for a checkpoint, in a file of `recorded/measures/`.
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
    """Share of the rows in which its largest number is at a gold source token."""
    swap: float | None
    """Share of the rows in which it is at the word whose swap costs most."""
    rank: float | None
    """Mean over those rows of its rank correlation with what the swaps cost (Spearman)."""


@dataclass(frozen=True)
class Agreements:
    """All measures of a checkpoint."""

    folder: ClassVar[str] = "measures"
    weights: str
    """SHA-256 of the file of the weights that were measured: of others nothing is known."""
    sentences: int
    """Held-out ones, the first of the file."""
    gold_rows: int
    """Rows that have a gold source token."""
    swap_rows: int
    """Rows in which some swap costs enough, of three words or more that can be swapped."""
    least_cost: float
    """What is enough, in nats."""
    steps: int
    """Of integrated gradients."""
    mean_error: float
    """How far their sum is from what it should be, in nats: mean over all rows."""
    largest_error: float
    measures: Mapping[str, Agreement]
