"""A training that a page starts: its folder, the process that trains there, what it told so far."""

import dataclasses
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from viz.run.saved_checkpoints import why_unwritable
from viz.subjects.training.folder import Record, step_of_message
from viz.subjects.training.messages import Setup, read_setup, read_snapshot
from viz.subjects.training.plan import SIZES, Plan
from viz.subjects.training.time_lapse import Snapshot, TimeLapse
from viz.subjects.training.worker import GRACE
from viz.work.job import Job, Mark
from viz.work.messages import Message
from viz.work.worker_pool import Crew

Status = Literal["starting", "training", "stopping", "stopped", "finished", "failed"]

WORKER = "viz.subjects.training.worker"


@dataclasses.dataclass(frozen=True, eq=False)
class Report:
    """A training as it was at one moment."""

    status: Status
    step: int
    seconds: float
    """That it has trained, without pauses and without starting."""
    lapse: TimeLapse | None
    """None until the first look at the model."""
    problem: str
    """Why it failed."""


class LiveTraining:
    """One training, for as long as its folder is there. It can be stopped, and goes on."""

    def __init__(self, folder: Path, command: tuple[str, ...] | None = None) -> None:
        """Open a folder with a plan. Raises OSError or ValueError where there is none."""
        self.folder = folder
        self.plan = Plan.read(folder)
        self.owners: set[str] = set()
        """Sessions that show it."""
        self._command = command
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._has_told = False
        self._setup: Setup | None = None
        self._snapshots: list[Snapshot] = []
        self._losses: list[tuple[int, float]] = []
        self._step = 0
        self._seconds = 0.0
        for message in Record(folder).read():
            self._hear(message)

    @property
    def id(self) -> str:
        """Name it in links; who does not know it cannot guess it."""
        return self.folder.name

    @property
    def checkpoint(self) -> Path:
        """Path of the checkpoint without suffix."""
        return self.folder / self.plan.name

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self._job is not None and not self._job.ended

    @property
    def is_lost(self) -> bool:
        """Whether its files are not there any more: others may have cleaned them away."""
        state = self.checkpoint.with_name(f"{self.plan.name}.state.json")
        return not self.folder.exists() or (self._step > 0 and not state.exists())

    def start(self, crew: Crew, words: Callable[[Report, Plan], str], more: int = 0) -> None:
        """Start, or go on, by `more` steps than were planned; `words` tell how far it is.

        Raises NoPlaceError where too many run, OSError where the folder cannot be written.
        """
        if self.alive:
            raise ValueError("a training that runs cannot be started, stop it first")
        plan = dataclasses.replace(self.plan, steps=self.plan.steps + more)
        job = Job(
            WORKER,
            {"folder": str(self.folder)},
            owners=self.owners,
            hear=self._hear,
            grace=GRACE,
            mark=Mark(lambda _: words(self.report(), self.plan), "training", self.link, "training"),
            command=self._command,
        )
        plan.write(self.folder)
        crew.start(job, wait=False)
        with self._lock:
            self.plan, self._job, self._has_told = plan, job, False

    @property
    def link(self) -> dict[str, str]:
        """What in a link leads to it."""
        return {"training": self.id, "part_training": "live"}

    def stop(self) -> None:
        """Ask it to stop after its step; it then writes all that going on needs."""
        if self._job is not None:
            self._job.stop()

    def remove(self) -> None:
        """End it at once, and leave nothing of it on disk."""
        if self._job is not None:
            self._job.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def report(self) -> Report:
        """Return what is known now; later steps do not change it."""
        with self._lock:
            return Report(self._status(), self._step, self._seconds, self._lapse(), self._problem())

    def _status(self) -> Status:
        status = self._job.status if self._job else "stopped"
        match status:
            case "waiting" | "running":
                return "training" if self._has_told else "starting"
            case "stopping" | "failed":
                return status
        return "finished" if self._step >= self.plan.steps else "stopped"

    def _problem(self) -> str:
        if self._job is None:
            return ""
        if self._job.refusal is not None:
            return why_unwritable(self._job.refusal, self.folder)
        return self._job.problem

    def _lapse(self) -> TimeLapse | None:
        if self._setup is None or not self._snapshots:
            return None
        steps = tuple(step for step, _ in self._losses)
        plan = self.plan
        return TimeLapse(
            source_tokens=self._setup.source_tokens,
            target_tokens=self._setup.target_tokens,
            masks=self._setup.masks,
            snapshots=tuple(self._snapshots),
            loss_steps=steps,
            losses=tuple(loss for _, loss in self._losses),
            rates=tuple(plan.recipe.rate(step, SIZES["d_model"]) for step in steps),
            steps=plan.steps,
        )

    def _hear(self, message: Message) -> None:
        with self._lock:
            self._has_told = True
            self._step = step_of_message(message) or self._step
            match message:
                case {"resumed": int(step)}:
                    self._forget_after(step)
                case {"setup": setup}:
                    self._setup = read_setup(setup)
                case {"snapshot": snapshot}:
                    self._snapshots.append(read_snapshot(snapshot))
                case {"step": int(step), "loss": float(loss), "seconds": float(seconds)}:
                    self._losses.append((step, loss))
                    self._seconds = seconds

    def _forget_after(self, step: int) -> None:
        """Forget what the process that goes on does not remember: it was not put away."""
        self._step = step
        self._snapshots = [snapshot for snapshot in self._snapshots if 0 < step >= snapshot.step]
        self._losses = [(at, loss) for at, loss in self._losses if at <= step]
