"""The inputs of a run, which name it."""

import hashlib
from typing import NamedTuple

from model.interventions.kinds import Intervention


class Stamp(NamedTuple):
    """A checkpoint as it was written, for caches: a new training is another checkpoint."""

    path: str
    written: int
    """When, in nanoseconds; 0 if nothing is there."""
    foreign: bool = False
    """Whether it is the folder of a third-party model."""


class Inputs(NamedTuple):
    """The inputs of a run, by which the caches name it."""

    checkpoint: str
    source: str
    target: str
    """Empty if the model wrote it."""
    device: str
    interventions: tuple[Intervention, ...] = ()
    """The changes in force while the model ran."""

    @property
    def texts(self) -> tuple[str, str, str]:
        """Checkpoint, source and target, whose positions a change names."""
        return self.checkpoint, self.source, self.target

    @property
    def unchanged(self) -> "Inputs":
        """Return the inputs of the run as it was without any change."""
        return self._replace(interventions=())


def run_key(*inputs: object) -> str:
    """Name a run by its inputs, for the browser."""
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]
