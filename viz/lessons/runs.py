"""Where lessons get checkpoints and runs from."""

from typing import Protocol, runtime_checkable

from model.checkpoints.checkpoint import Checkpoint
from model.interventions.kinds import Intervention
from viz.run.record import Run


@runtime_checkable
class Runs(Protocol):
    """Gives what a lesson names. Both raise ValueError, in words for people, on what is not there.

    A page gives those that the sessions share.
    """

    def checkpoint(self, name: str) -> Checkpoint:
        """Return a checkpoint by its name."""
        ...

    def run(
        self, name: str, source: str, target: str, interventions: tuple[Intervention, ...]
    ) -> Run:
        """Run a checkpoint; an empty target lets it write."""
        ...
