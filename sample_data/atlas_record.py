"""What was measured of a model by cutting parts of it, over held-out sentences, in turn."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class CutScore:
    """How a model does without one part."""

    sublayer: str
    """Path of its module: `decoder.layers.1.cross_attn`."""
    head: int | None
    """None for the whole sublayer."""
    how: str
    """What stands in its place: zero, mean or even."""
    loss: float
    """Mean nats of a target token."""
    exact: float
    """Share of sentences that are right to the last token."""


@dataclass(frozen=True)
class PairScore:
    """How much more two heads cost together than each costs alone: they can stand in for another.

    In nats of loss, against the model as it is; each is replaced by its average.
    """

    first: tuple[str, int]
    """Sublayer and head."""
    second: tuple[str, int]
    first_alone: float
    second_alone: float
    together: float

    @property
    def interaction(self) -> float:
        """What both cost together beyond the sum."""
        return self.together - self.first_alone - self.second_alone


@dataclass(frozen=True)
class Atlas:
    """All that was measured of one model."""

    folder: ClassVar[str] = "atlas"
    weights: str
    """SHA-256 of the file of its weights: what was measured holds for no others."""
    sentences: int
    """Held-out sentences, the first ones of the file."""
    pair_sentences: int
    """As many of them for the pairs."""
    mean_sentences: int
    """Other sentences, over which the averages are taken."""
    loss: float
    """Of the model as it is."""
    exact: float
    cuts: tuple[CutScore, ...]
    pairs: tuple[PairScore, ...]
    """Those of the largest interaction, the largest first."""
