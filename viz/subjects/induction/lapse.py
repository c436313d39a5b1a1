"""A training as its snapshots tell it: how much is copied rightly, and what the heads read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from model.checkpoints.metadata import CheckpointInfo


@dataclass(frozen=True)
class Moment:
    """One snapshot."""

    place: int
    """Its place among the snapshots."""
    step: int
    right: float
    """Share of the copied words of held-out rows that are told rightly."""
    looks: Mapping[tuple[int, int], float]
    """By (layer, head): the weight on the words that followed earlier copies."""
    previous: Mapping[tuple[int, int], float]
    """The same on the word before each."""


@dataclass(frozen=True)
class Lapse:
    """A training, and beside it one of a model that cannot learn the same."""

    moments: tuple[Moment, ...]
    control: tuple[tuple[int, float], ...]
    """Steps, and the share that one layer told rightly."""

    def change(self) -> tuple[Moment, Moment]:
        """Return the last moment with few words right, and the first with almost all."""
        before = [moment for moment in self.moments if moment.right < 0.2]
        after = [moment for moment in self.moments if moment.right > 0.9]
        return (before or self.moments[:1])[-1], (after or self.moments[-1:])[0]


def make_lapse(infos: Sequence[CheckpointInfo], control: CheckpointInfo | None) -> Lapse:
    """Read what the snapshots of a training recorded of themselves, the earliest first."""
    moments = tuple(_moment(place, info) for place, info in enumerate(infos))
    reached = control.training.get("exact_matches", ()) if control else ()
    last = moments[-1].step
    return Lapse(moments, tuple((int(s), float(share)) for s, share in reached if s <= last))


def _moment(place: int, info: CheckpointInfo) -> Moment:
    heads = {(head["layer"], head["head"]): head for head in info.scores["looks"]}
    return Moment(
        place=place,
        step=info.training["step"],
        right=info.scores["right"],
        looks={at: head["looks"] for at, head in heads.items()},
        previous={at: head["previous"] for at, head in heads.items()},
    )
