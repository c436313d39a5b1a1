"""Projections under way, each in a process of its own that can be stopped; the latest are kept."""

import hashlib
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Literal

import numpy as np
from jaxtyping import Float

from viz.subjects.embeddings.projection import PCA, Projection, Settings, project

Status = Literal["waiting", "running", "done", "stopped", "failed"]
Key = tuple[str, Settings]
"""Digest of the vectors, and how they are projected."""

WORKER = (sys.executable, "-m", "viz.subjects.embeddings.worker")
AT_ONCE = 2
"""Processes that run at a time; other projections wait."""
KEPT = 32
_GONE_AFTER = 5.0
"""Seconds without a look at a projection after which a visitor counts as gone."""
_ROOT = Path(__file__).parents[3]
_ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Job:
    """One projection: computed at once where that is quick, else in a process."""

    def __init__(self, key: Key, vectors: Float[np.ndarray, "point d_model"]) -> None:
        self.key = key
        self.settings = key[1]
        self.status: Status = "waiting"
        self.done = 0
        self.total = 0
        """Iterations; 0 until the first are told."""
        self.projection: Projection | None = None
        self.problem = ""
        """Why it failed."""
        self.process: subprocess.Popen[bytes] | None = None
        self._vectors = vectors
        self._lock = threading.Lock()
        self._begun = time.monotonic()
        self._ended: float | None = None
        self._seen: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        """How long it has taken so far, or took; waiting for its turn included."""
        return (self._ended or time.monotonic()) - self._begun

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self.status in ("done", "stopped", "failed")

    def watch(self, visitor: str) -> None:
        """Note that somebody still waits for it."""
        self._seen[visitor] = time.monotonic()

    def leave(self, visitor: str) -> bool:
        """Stop it, unless others wait for it too; tell whether nobody does."""
        self._seen.pop(visitor, None)
        latest = max(self._seen.copy().values(), default=0.0)
        alone = time.monotonic() - latest > _GONE_AFTER
        if alone:
            self.stop()
        return alone

    def stop(self) -> None:
        """End its process at once."""
        with self._lock:
            if self.ended:
                return
            self._end("stopped")
            if self.process is not None:
                self.process.kill()
                self.process.wait()

    def compute_here(self) -> None:
        """Compute in the calling thread."""
        try:
            self._finish(project(self._vectors, self.settings))
        except ValueError as error:
            self._fail(str(error))

    def compute(self, turns: threading.Semaphore, command: Sequence[str]) -> None:
        """Wait for a turn, then compute in a process; returns when that is gone."""
        while not turns.acquire(timeout=0.1):
            if self.ended:
                return
        try:
            if process := self._start(command):
                self._talk(process)
        finally:
            turns.release()

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self.ended:
                return None
            self.status = "running"
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=_ROOT,
                env=os.environ | _ONE_CORE,
            )
            return self.process

    def _talk(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with process:
                pickle.dump((self._vectors, self.settings), process.stdin)
                process.stdin.close()
                self._listen(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):  # it is gone, or was stopped
            self._fail(f"its process ended with status {process.wait()}")

    def _listen(self, messages: IO[bytes]) -> None:
        while not self.ended:
            match pickle.load(messages):
                case ("progress", int(done), int(total)):
                    self.done, self.total = done, total
                case ("done", Projection() as projection):
                    self._finish(projection)
                case ("failed", str(problem)):
                    self._fail(problem)

    def _finish(self, projection: Projection) -> None:
        with self._lock:
            if not self.ended:
                self.projection = projection
                self._end("done")

    def _fail(self, problem: str) -> None:
        with self._lock:
            if not self.ended:
                self.problem = problem
                self._end("failed")

    def _end(self, status: Status) -> None:
        self._ended = time.monotonic()
        self.status = status


class Projector:
    """Computes projections for all sessions, equal ones once, and keeps the latest."""

    def __init__(self, command: Sequence[str] = WORKER) -> None:
        self._command = command
        self._jobs: OrderedDict[Key, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(AT_ONCE)

    def job(self, vectors: Float[np.ndarray, "point d_model"], settings: Settings) -> Job:
        """Find the projection of these vectors, or start it; one that was stopped starts again."""
        key = job_key(vectors, settings)
        with self._lock:
            found = self._jobs.get(key)
            if found and found.status not in ("stopped", "failed"):
                self._jobs.move_to_end(key)
                return found
            job = self._jobs[key] = Job(key, vectors)
            self._jobs.move_to_end(key)
            while len(self._jobs) > KEPT:
                self._jobs.popitem(last=False)
        if isinstance(settings, PCA):
            job.compute_here()
        else:
            arguments = (self._turns, self._command)
            threading.Thread(target=job.compute, args=arguments, daemon=True).start()
        return job


def job_key(vectors: Float[np.ndarray, "point d_model"], settings: Settings) -> Key:
    """Name a projection by what goes into it."""
    digest = hashlib.sha256(f"{vectors.shape} {vectors.dtype}".encode())
    digest.update(np.ascontiguousarray(vectors).data)
    return digest.hexdigest(), settings
