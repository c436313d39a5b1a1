"""The inputs of a run, which identify it."""

import hashlib
from typing import NamedTuple

from model.interventions.kinds import Intervention


class Stamp(NamedTuple):
    """The state of a checkpoint's files, for caches: a new training has a new stamp."""

    path: str
    written: int
    """Time of the last change, in nanoseconds; 0 if there is no file."""
    foreign: bool = False
    """Whether it is the folder of a third-party model."""


class Inputs(NamedTuple):
    """The inputs of a run, by which the caches identify it."""

    checkpoint: str
    source: str
    target: str
    """The given target; empty if the model writes it."""
    device: str
    interventions: tuple[Intervention, ...] = ()
    """The changes in force during the run."""

    @property
    def texts(self) -> tuple[str, str, str]:
        """Checkpoint, source and target, to which the positions in a change refer."""
        return self.checkpoint, self.source, self.target

    @property
    def unchanged(self) -> "Inputs":
        """Return the inputs of the same run without any change."""
        return self._replace(interventions=())


def run_key(*inputs: object) -> str:
    """Make a name from the inputs of a run, for the browser."""
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]
