"""A training that a page starts: a process of its own, what it told so far, and how to stop it."""

import dataclasses
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from viz.subjects.training.plan import SIZES, Plan
from viz.subjects.training.time_lapse import Snapshot, TimeLapse, noam_rates
from viz.subjects.training.wire import Setup, read_setup, read_snapshot

Status = Literal["starting", "training", "stopping", "stopped", "finished", "failed"]

WORKER = (sys.executable, "-m", "viz.subjects.training.worker")
GONE_AFTER = 30.0
"""Seconds after which a training whose session is gone ends."""
_LOOKS = 10
"""That are taken in this time at whether the session is still there."""
_ROOT = Path(__file__).parents[3]
_LOG = "worker.log"


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
    """One training of one session. It can be stopped and goes on where it stopped."""

    def __init__(
        self,
        plan: Plan,
        present: Callable[[], bool],
        *,
        command: Sequence[str] = WORKER,
        gone_after: float = GONE_AFTER,
    ) -> None:
        """Prepare it; `present` tells whether the session that wants it is still there."""
        self.plan = plan
        self.present = present
        self._command = command
        self._gone_after = gone_after
        self._folder = tempfile.TemporaryDirectory(prefix="loupe-training-")
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._listener = threading.Thread()
        self._status: Status = "stopped"
        self._setup: Setup | None = None
        self._snapshots: list[Snapshot] = []
        self._losses: list[tuple[int, float]] = []
        self._step = 0
        self._seconds = 0.0
        self._problem = ""

    @property
    def folder(self) -> Path:
        """Where the process writes."""
        return Path(self._folder.name)

    @property
    def checkpoint(self) -> Path:
        """Path of the checkpoint without suffix; its files are there once it stopped."""
        return self.folder / self.plan.name

    @property
    def alive(self) -> bool:
        """Whether its process runs, or has just ended and is still being listened to."""
        return self._listener.is_alive()

    def start(self, more: int = 0) -> None:
        """Start, or go on, by `more` steps than were planned."""
        if self.alive:
            raise ValueError("a training that runs cannot be started, stop it first")
        self.plan = dataclasses.replace(self.plan, steps=self.plan.steps + more)
        self.plan.write(self.folder)
        with (self.folder / _LOG).open("w") as log:
            process = subprocess.Popen(
                [*self._command, str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=_ROOT,
            )
        with self._lock:
            self._process, self._status, self._problem = process, "starting", ""
        self._listener = threading.Thread(target=self._listen, args=(process,), daemon=True)
        self._listener.start()

    def stop(self) -> None:
        """Ask it to stop after its step; it then writes all that going on needs."""
        with self._lock:
            if self._process and self._status in ("starting", "training"):
                self._status = "stopping"
                _hang_up(self._process)

    def end(self) -> None:
        """End it at once, and leave nothing of it on disk."""
        if self._process is not None:
            self._process.kill()
            self._listener.join()
        self._folder.cleanup()

    def report(self) -> Report:
        """Give what is known now; later steps do not change it."""
        with self._lock:
            return Report(self._status, self._step, self._seconds, self._lapse(), self._problem)

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
            rates=noam_rates(
                steps, d_model=SIZES["d_model"], warmup=plan.warmup, factor=plan.factor
            ),
            steps=plan.steps,
        )

    def _listen(self, process: subprocess.Popen[str]) -> None:
        """Take in what the process tells, until it is gone or its session is."""
        looked = seen = time.monotonic()
        before: float | None = None
        with process:
            for line in process.stdout or ():
                now = time.monotonic()
                with self._lock:
                    self._seconds += now - before if before else 0.0
                    self._take(json.loads(line))
                before = now
                if now - looked > self._gone_after / _LOOKS:
                    looked = now
                    seen = now if self.present() else seen
                    if now - seen > self._gone_after:
                        process.kill()
        with self._lock:
            if self._process is process:
                self._close(process.wait())

    def _take(self, values: dict[str, Any]) -> None:
        match values:
            case {"setup": setup}:
                self._setup = read_setup(setup)
                self._snapshots.clear()  # it starts anew if it was stopped before its first step
            case {"snapshot": snapshot}:
                self._snapshots.append(read_snapshot(snapshot))
            case {"step": int(step), "loss": float(loss)}:
                self._step = step
                self._losses.append((step, loss))
            case {"ended": int(step)}:
                self._step = step
        if self._status == "starting":
            self._status = "training"

    def _close(self, code: int) -> None:
        """Note how the process ended: only now can another one go on."""
        self._status = "finished" if self._step >= self.plan.steps else "stopped"
        if code:
            self._status = "failed"
            self._problem = _last_line(self.folder / _LOG) or f"exit status {code}"


def _hang_up(process: subprocess.Popen[str]) -> None:
    """End the input of a process, which makes it stop."""
    try:
        if process.stdin is not None:
            process.stdin.close()
    except BrokenPipeError:  # it has just ended by itself
        return


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return lines[-1] if lines else ""
