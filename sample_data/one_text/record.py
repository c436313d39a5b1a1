"""The measurements of a model of one text by cutting its heads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Reading:
    """The mean weights of one head over held-out texts."""

    layer: int
    head: int
    looks: float
    """The weight on the tokens that decide a predictable word."""
    previous: float
    """The weight on the token before its own."""


@dataclass(frozen=True)
class HeadCut:
    """How a model performs without some of its heads."""

    cut: tuple[tuple[int, int], ...]
    """The layer and the number of each head; none for the uncut model."""
    right: float
    """The share of predictable words with a correct prediction."""
    loss: float
    """The loss in nats of the correct choice of a predictable word."""
    kinds: Mapping[str, float]
    """The share of correct words of each kind."""
    readings: tuple[Reading, ...]
    """The weights of every head; a cut head still reads, but its output is lost."""

    def reading(self, layer: int, head: int) -> Reading:
        """Find the weights of one head."""
        return next(r for r in self.readings if (r.layer, r.head) == (layer, head))


@dataclass(frozen=True)
class HeadTable:
    """All measurements of one model."""

    folder: ClassVar[str] = "heads"
    weights: str
    """The SHA-256 of the file of its weights; the record holds for no others."""
    texts: int
    """The number of held-out texts."""
    mean_texts: int
    """The number of other texts, over which the means that replace a head are taken."""
    chance: float
    """The weight on the deciding tokens of a head that reads all its keys equally."""
    whole: HeadCut
    """The uncut model."""
    cuts: tuple[HeadCut, ...]
    """Each head alone, then each layer, the costliest first in both."""

    def ranked(self) -> tuple[HeadCut, ...]:
        """Return the cuts of one head, the costliest first."""
        return tuple(cut for cut in self.cuts if len(cut.cut) == 1)
