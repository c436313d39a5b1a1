"""What was measured of a model of one text by cutting its heads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Reading:
    """What one head reads, in the mean over held-out texts."""

    layer: int
    head: int
    looks: float
    """Weight on the tokens that decide a known word."""
    previous: float
    """Weight on the token before its own."""


@dataclass(frozen=True)
class HeadCut:
    """How a model does without some of its heads."""

    cut: tuple[tuple[int, int], ...]
    """Layer and head of each; none for the model as it is."""
    right: float
    """Share of the known words that are told rightly."""
    loss: float
    """Nats of the right choice of a known word."""
    kinds: Mapping[str, float]
    """Share of those of each kind."""
    readings: tuple[Reading, ...]
    """Of every head: one that is cut still reads, but nothing of it is heard."""

    def reading(self, layer: int, head: int) -> Reading:
        """Find what one head reads."""
        return next(r for r in self.readings if (r.layer, r.head) == (layer, head))


@dataclass(frozen=True)
class HeadTable:
    """All that was measured of one model."""

    folder: ClassVar[str] = "heads"
    weights: str
    """SHA-256 of the file of its weights: what was measured holds for no others."""
    texts: int
    """Held-out texts."""
    mean_texts: int
    """Other texts, over which the means are taken that stand in the place of a head."""
    chance: float
    """Weight on what decides of a head that reads all it may alike."""
    whole: HeadCut
    """The model as it is."""
    cuts: tuple[HeadCut, ...]
    """Each head alone, then each layer: the dearest first in either."""

    def ranked(self) -> tuple[HeadCut, ...]:
        """Return the cuts of one head, the one that costs most first."""
        return tuple(cut for cut in self.cuts if len(cut.cut) == 1)
