"""Trainings that the page starts: their processes, their reports, and the sessions they are for."""

import dataclasses
import os
import secrets
import shutil
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from texts import say
from viz.models.saved_checkpoints import why_unwritable
from viz.subjects.training.messages import Setup, read_setup, read_snapshot
from viz.subjects.training.plan import SIZES, Plan
from viz.subjects.training.time_lapse import Snapshot, TimeLapse
from viz.subjects.training.worker import GRACE
from viz.work.job import Job, Mark
from viz.work.messages import Message
from viz.work.worker_pool import NoPlaceError, WorkerPool

Status = Literal["starting", "training", "stopping", "stopped", "finished", "failed"]
Words = Callable[["Report", Plan], str]
"""A function that writes how far a training is."""

WORKER = "viz.subjects.training.worker"
GONE_AFTER = 30.0
"""The number of seconds after which a training without sessions stops."""
_MOST_KEPT = 16
"""The number of ended trainings that are kept."""


class TrainingRefusedError(ValueError):
    """A training that cannot start now; the message says why, and what would help."""


@dataclasses.dataclass(frozen=True, eq=False)
class Report:
    """A training as it was at one moment."""

    status: Status
    step: int
    seconds: float
    """The number of seconds that it has trained, without starting."""
    lapse: TimeLapse | None
    """None before the first evaluation of the model."""
    problem: str
    """The reason why it failed."""


class LiveTraining:
    """One training, for as long as the server keeps it; then its files are removed, too."""

    def __init__(self, plan: Plan, words: Words, command: tuple[str, ...] | None = None) -> None:
        """Create the folder for its files. Raises OSError if that is not possible."""
        self.plan = plan
        self.id = secrets.token_hex(16)
        """The name in links, which cannot be guessed."""
        self._folder = Path(tempfile.mkdtemp(prefix="loupe-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        """Removes its files; called at the latest when the server ends."""
        self._lock = threading.Lock()
        self._setup: Setup | None = None
        self._snapshots: list[Snapshot] = []
        self._losses: list[tuple[int, float]] = []
        self._step = 0
        self._seconds = 0.0
        link = {"training": self.id, "part_training": "live"}
        self.job = Job(
            WORKER,
            {"folder": str(self._folder), "plan": dataclasses.asdict(plan)},
            owners=set(),
            hear=self._hear,
            grace=GRACE,
            mark=Mark(lambda _: words(self.report(), plan), "training", link, "training"),
            command=command,
        )

    @property
    def checkpoint(self) -> Path:
        """The path of the checkpoint without suffix; it is written at the end."""
        return self._folder / self.plan.name

    def report(self) -> Report:
        """Return the current state, which later steps do not change."""
        with self._lock:
            return Report(self._status(), self._step, self._seconds, self._lapse(), self._problem())

    def _status(self) -> Status:
        match self.job.status:
            case "waiting" | "running":
                return "training" if self._setup else "starting"
            case "stopping" | "failed" as status:
                return status
        return "finished" if self._step >= self.plan.steps else "stopped"

    def _problem(self) -> str:
        if self.job.refusal is not None:
            return why_unwritable(self.job.refusal, self._folder)
        return self.job.problem

    def _lapse(self) -> TimeLapse | None:
        if self._setup is None or not self._snapshots:
            return None
        steps = tuple(step for step, _ in self._losses)
        return TimeLapse(
            source_tokens=self._setup.source_tokens,
            target_tokens=self._setup.target_tokens,
            masks=self._setup.masks,
            snapshots=tuple(self._snapshots),
            loss_steps=steps,
            losses=tuple(loss for _, loss in self._losses),
            rates=tuple(self.plan.recipe.rate(step, SIZES["d_model"]) for step in steps),
            steps=self.plan.steps,
        )

    def _hear(self, message: Message) -> None:
        with self._lock:
            match message:
                case {"setup": setup}:
                    self._setup = read_setup(setup)
                case {"snapshot": {"step": int(step)} as snapshot}:
                    self._snapshots.append(read_snapshot(snapshot))
                    self._step = step
                case {"step": int(step), "loss": float(loss), "seconds": float(seconds)}:
                    self._losses.append((step, loss))
                    self._step, self._seconds = step, seconds


class Trainings:
    """The trainings of all sessions; its methods may be called from any thread."""

    def __init__(
        self, pool: WorkerPool, words: Words, command: tuple[str, ...] | None = None
    ) -> None:
        """Start trainings in a pool; `words` writes how far each is."""
        self.pool = pool
        self._words = words
        self._command = command
        self._lock = threading.Lock()
        self._known: OrderedDict[str, LiveTraining] = OrderedDict()

    def find(self, id: str) -> LiveTraining | None:
        """Find a training by its name in a link."""
        with self._lock:
            return self._known.get(id)

    def of(self, session: str) -> LiveTraining | None:
        """Find the training that a session showed last."""
        with self._lock:
            found = (t for t in reversed(self._known.values()) if session in t.job.owners)
            return next(found, None)

    def start(self, plan: Plan, session: str) -> LiveTraining:
        """Start a training, which the session then shows. Raises TrainingRefusedError."""
        before = self.of(session)
        if before and not before.job.ended:
            raise TrainingRefusedError(say("training.one_at_a_time"))
        try:
            training = LiveTraining(plan, self._words, self._command)
            self.pool.start(training.job, wait=False)
        except NoPlaceError:
            raise TrainingRefusedError(say("training.full", count=self.pool.places)) from None
        except OSError as error:
            why = why_unwritable(error, Path(tempfile.gettempdir()))
            raise TrainingRefusedError(say("training.not_written", error=why)) from error
        training.job.join(session)
        with self._lock:
            if before:
                before.job.owners.discard(session)
            self._known[training.id] = training
            idle = [id for id, t in self._known.items() if t.job.ended and not self._is_shown(t)]
            for id in idle[: max(0, len(idle) - _MOST_KEPT)]:
                self._known.pop(id).remove()
        return training

    def _is_shown(self, training: LiveTraining) -> bool:
        return any(map(self.pool.present, training.job.owners.copy()))


def default_places() -> int:
    """Leave one core to the pages, if there is more than one."""
    return max(1, (os.cpu_count() or 1) - 1)
