"""Sentences on which a way of decoding shows what it does, found for one checkpoint each."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class DecodingExample:
    """One held-out source, and what two ways of writing make of it."""

    source: str
    target: str
    """The right one."""
    greedy: str
    """What the most probable token at each step gives."""
    other: str
    """What the beam finds, or what is drawn."""


@dataclass(frozen=True)
class DecodingExamples:
    """All that was found for a checkpoint."""

    folder: ClassVar[str] = "examples"
    weights: str
    """SHA-256 of the file of the weights that were searched with: others may write otherwise."""
    searched: int
    """Held-out sentences that were tried."""
    width: int
    length_penalty: float
    """Of the beam."""
    seed: int
    """Of the samples."""
    beam: tuple[DecodingExample, ...]
    """The beam writes the right target, of a higher probability, where greedy decoding does not."""
    sampling: tuple[DecodingExample, ...]
    """A sample is not the right target, and greedy decoding is."""
