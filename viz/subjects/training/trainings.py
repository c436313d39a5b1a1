"""The trainings of all sessions of a server, and those that earlier ones left on disk."""

import os
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from model.checkpoints.checkpoint import CheckpointError, read_info
from texts import say
from viz.run.saved_checkpoints import why_unwritable
from viz.subjects.training.folder import is_at_work
from viz.subjects.training.live_training import LiveTraining
from viz.subjects.training.plan import Plan
from viz.subjects.training.words import progress_words
from viz.work.worker_pool import Crew, NoPlaceError

GONE_AFTER = 30.0
"""Seconds after which a training whose sessions are gone stops."""
MOST_LEFT = 10
LONGEST_LEFT = timedelta(days=30)
"""So many trainings that nobody shows are kept, and for so long."""
_MOST_OPEN = 16
"""Trainings that are held in memory though they do not run."""
_ID = re.compile(r"[0-9a-f]{32}")


class TrainingRefusedError(ValueError):
    """A training that cannot start now; the message says why, and what would work."""


class Left(NamedTuple):
    """A training that no session shows: it can go on, be kept or be removed."""

    id: str
    longest: int
    """Digits of its longest command."""
    step: int
    steps: int
    exact_match: float
    """Share of the held-out commands that it does right."""
    age: float
    """Seconds since it was written."""


def default_places() -> int:
    """Leave one core to the pages, where there is more than one."""
    return max(1, (os.cpu_count() or 1) - 1)


class Trainings:
    """Shared by all sessions; its methods may be called from any thread."""

    def __init__(
        self, crew: Crew, folder: Callable[[], Path], command: tuple[str, ...] | None = None
    ) -> None:
        """Look after the trainings below a folder."""
        self.crew = crew
        self._folder = folder
        self._command = command
        self._lock = threading.RLock()
        self._open: OrderedDict[str, LiveTraining] = OrderedDict()

    def find(self, id: str) -> LiveTraining | None:
        """Find a training by what a link says; one that is not in memory is read from disk."""
        if len(id) > 32 or not _ID.fullmatch(id):
            return None
        with self._lock:
            if id not in self._open:
                try:
                    self._open[id] = LiveTraining(self._folder() / id, self._command)
                except (OSError, ValueError, KeyError, TypeError):
                    return None
                self._forget_oldest()
            self._open.move_to_end(id)
            return self._open[id]

    def of(self, session: str) -> LiveTraining | None:
        """Find the training that a session showed last."""
        with self._lock:
            found = (t for t in reversed(self._open.values()) if session in t.owners)
            return next(found, None)

    def start(self, plan: Plan, session: str) -> LiveTraining:
        """Start a new training; what the session showed before stays on disk.

        Raises TrainingRefusedError.
        """
        with self._lock:
            self._refuse_second(session)
            id = secrets.token_hex(16)
            folder = self._folder() / id
            try:
                folder.mkdir(parents=True)
                plan.write(folder)
            except OSError as error:
                raise _refused(error, folder) from error
            training = self._open[id] = LiveTraining(folder, self._command)
            training.owners.add(session)
            try:
                self._start(training)
            except TrainingRefusedError:
                self.remove(training)
                raise
            self.leave(session, but=training)
            self._forget_oldest()
            return training

    def go_on(self, training: LiveTraining, session: str, more: int = 0) -> None:
        """Let a training go on, by `more` steps than were planned, in the view of a session.

        Raises TrainingRefusedError.
        """
        with self._lock:
            if training.is_lost:
                raise TrainingRefusedError(say("training.lost_said"))
            if not training.alive:
                self._refuse_second(session)
                if is_at_work(training.folder):
                    raise TrainingRefusedError(say("training.elsewhere"))
                training.owners.add(session)
                self._start(training, more)
            training.owners.add(session)
            self.leave(session, but=training)

    def leave(self, session: str, *, but: LiveTraining | None = None) -> None:
        """Note that a session shows no training any more, but for one."""
        for training in list(self._open.values()):
            if training is not but:
                training.owners.discard(session)

    def remove(self, training: LiveTraining) -> None:
        """End a training, and leave nothing of it."""
        with self._lock:
            self._open.pop(training.id, None)
            training.remove()

    def left(self) -> list[Left]:
        """List the trainings on disk that no session shows and no server runs, the latest first."""
        found = [left for folder in self._folders() if (left := self._describe(folder))]
        return sorted(found, key=lambda left: left.age)

    def sweep(self, found: list[Left]) -> list[Left]:
        """Remove those of `left` that are too many or too old; return what was removed."""
        longest = LONGEST_LEFT.total_seconds()
        gone = [left for n, left in enumerate(found) if n >= MOST_LEFT or left.age > longest]
        for left in gone:
            if training := self.find(left.id):
                self.remove(training)
        return gone

    def _folders(self) -> list[Path]:
        folder = self._folder()
        if not folder.is_dir():
            return []
        return [path for path in folder.iterdir() if _ID.fullmatch(path.name) and path.is_dir()]

    def _describe(self, folder: Path) -> Left | None:
        with self._lock:
            known = self._open.get(folder.name)
            if known and (known.alive or self._is_shown(known)):
                return None
        try:
            plan = Plan.read(folder)
            checkpoint = folder / plan.name
            info = read_info(checkpoint)
            age = time.time() - checkpoint.with_name(f"{plan.name}.json").stat().st_mtime
            if is_at_work(folder):
                return None
        except (CheckpointError, OSError, ValueError, KeyError, TypeError):
            return None
        step, exact = info.training.get("step", 0), info.scores.get("exact_match", 0.0)
        return Left(folder.name, plan.longest, int(step), plan.steps, float(exact), age)

    def _start(self, training: LiveTraining, more: int = 0) -> None:
        try:
            training.start(self.crew, progress_words, more)
        except NoPlaceError:
            raise TrainingRefusedError(say("training.full", count=self.crew.places)) from None
        except OSError as error:
            raise _refused(error, training.folder) from error

    def _is_shown(self, training: LiveTraining) -> bool:
        return any(map(self.crew.present, training.owners.copy()))

    def _refuse_second(self, session: str) -> None:
        if any(session in t.owners and t.alive for t in self._open.values()):
            raise TrainingRefusedError(say("training.one_at_a_time"))

    def _forget_oldest(self) -> None:
        idle = [id for id, t in self._open.items() if not (t.alive or self._is_shown(t))]
        for id in idle[: max(0, len(idle) - _MOST_OPEN)]:
            del self._open[id]


def _refused(error: OSError, folder: Path) -> TrainingRefusedError:
    return TrainingRefusedError(say("training.not_written", error=why_unwritable(error, folder)))
