"""A training read from its snapshots: how well it copies, and what the heads read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from model.checkpoints.metadata import CheckpointInfo


@dataclass(frozen=True)
class Moment:
    """One snapshot."""

    place: int
    """Its index among the snapshots."""
    step: int
    right: float
    """The share of the copied words of held-out rows that the model predicts correctly."""
    looks: Mapping[tuple[int, int], float]
    """The weight on the words after earlier copies, by (layer, head)."""
    previous: Mapping[tuple[int, int], float]
    """The weight on the word before, by (layer, head)."""


@dataclass(frozen=True)
class Lapse:
    """A training, beside one of a model that cannot learn to copy."""

    moments: tuple[Moment, ...]
    control: tuple[tuple[int, float], ...]
    """The steps and the correct share of a model with one layer."""

    def change(self) -> tuple[Moment, Moment]:
        """Return the last snapshot with few correct words, and the first with almost all."""
        before = [moment for moment in self.moments if moment.right < 0.2]
        after = [moment for moment in self.moments if moment.right > 0.9]
        return (before or self.moments[:1])[-1], (after or self.moments[-1:])[0]


def make_lapse(infos: Sequence[CheckpointInfo], control: CheckpointInfo | None) -> Lapse:
    """Read the recorded measurements of a training's snapshots, the earliest first."""
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
