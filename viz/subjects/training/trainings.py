"""The trainings of all sessions of a server: one for each session, and only so many at a time."""

import os
import threading
from collections.abc import Callable

from viz.subjects.training.live import LiveTraining
from viz.subjects.training.plan import Plan


class TrainingRefusedError(ValueError):
    """A training that cannot start now; the message says why, and what would work."""


def default_places() -> int:
    """Leave one core to the pages, where there is more than one."""
    return max(1, (os.cpu_count() or 1) - 1)


class Trainings:
    """Shared by all sessions; its methods may be called from any thread."""

    def __init__(self, places: int, make: Callable[..., LiveTraining] = LiveTraining) -> None:
        self.places = places
        self._make = make
        self._lock = threading.Lock()
        self._of: dict[str, LiveTraining] = {}

    def of(self, owner: str) -> LiveTraining | None:
        """Find the training of a session."""
        return self._of.get(owner)

    def start(self, owner: str, plan: Plan, present: Callable[[], bool]) -> LiveTraining:
        """Start a new training; one of the same session that has stopped is forgotten."""
        with self._lock:
            before = self._of.get(owner)
            if before is not None and before.alive:
                raise TrainingRefusedError(
                    "This session trains a model already: stop that one, or wait for its end."
                )
            self._make_room()
            if before is not None:
                before.end()
            training = self._of[owner] = self._make(plan, present)
            training.start()
            return training

    def go_on(self, owner: str, more: int = 0) -> None:
        """Let the stopped training of a session go on, by `more` steps than were planned."""
        with self._lock:
            training = self._of[owner]
            if not training.alive:
                self._make_room()
                training.start(more)

    def end(self, owner: str) -> None:
        """End the training of a session and forget it."""
        with self._lock:
            training = self._of.pop(owner, None)
        if training is not None:
            training.end()

    def _make_room(self) -> None:
        """Forget what gone sessions left; refuse where all places are taken all the same."""
        for owner, training in list(self._of.items()):
            if not training.present() and not training.alive:
                self._of.pop(owner).end()
        running = sum(training.alive for training in self._of.values())
        if running >= self.places:
            trains = "1 model" if self.places == 1 else f"{self.places} models"
            raise TrainingRefusedError(
                f"This server trains {trains} at a time, and others are at it: try again in half "
                "a minute."
            )
