"""One process that a page started: what it told, how it ended, and for whom it runs."""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from texts import say
from viz.work.messages import Message, read, to_line

Status = Literal["waiting", "running", "stopping", "stopped", "done", "failed"]
_ROOT = Path(__file__).parents[2]
_ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def _ignore(message: Message) -> None:
    """Do nothing with what a process tells on its way."""


class Mark(NamedTuple):
    """How a job is shown on pages that know nothing of it."""

    words: Callable[["Job"], str]
    """What it does, and how far it is."""
    page: str
    """URL of the page that started it."""
    query: Mapping[str, str]
    """What in the link leads back to it."""
    key: str = ""
    """Of the query: names the job so that a session with the link joins it. Nobody can guess it."""
    reopen: Callable[[], None] | None = None
    """Shows the dialog that started it, if no page did."""


class Job:
    """Work in a process of its own, which a `WorkerPool` starts."""

    def __init__(
        self,
        module: str,
        request: Message,
        *,
        owners: set[str],
        hear: Callable[[Message], None] = _ignore,
        grace: float = 0.0,
        mark: Mark | None = None,
        command: tuple[str, ...] | None = None,
    ) -> None:
        """Prepare it for the sessions that want it; others may join.

        `hear` is given all that is told before the end, but the progress. When it is to stop, it
        has `grace` seconds to do so by itself.
        """
        self.owners = owners
        self.grace = grace
        self.mark = mark
        self.status: Status = "waiting"
        self.progress = (0, 0)
        """Done, and of how many; 0 of 0 until the first is told."""
        self.result: Any = None
        self.process: subprocess.Popen[bytes] | None = None
        self.refusal: OSError | None = None
        """What the system refused, where that is why it failed."""
        self._problem = ""
        self._code = 0
        self._command = command or (sys.executable, "-m", module)
        self._request = request
        self._hear = hear
        self._lock = threading.RLock()
        self._is_done = False
        self._begun = self._seen = time.monotonic()
        self._ended_at: float | None = None
        self._asked_at: float | None = None

    @property
    def ended(self) -> bool:
        """Whether its process is gone, or will never be."""
        return self._ended_at is not None

    @property
    def problem(self) -> str:
        """Why it failed."""
        if self.status != "failed":
            return self._problem
        return self._problem or say("work.ended", status=self._code)

    @property
    def seconds(self) -> float:
        """How long it has taken so far, or took; waiting for its turn included."""
        return (self._ended_at or time.monotonic()) - self._begun

    def join(self, owner: str) -> None:
        """Run for one more session."""
        self.owners.add(owner)

    def leave(self, owner: str, present: Callable[[str], bool]) -> None:
        """Stop it, unless other sessions that are there want it too."""
        self.owners.discard(owner)
        if not self._is_wanted(present):
            self.stop()

    def stop(self) -> None:
        """Ask it to stop, or end it at once where it has nothing to put away."""
        with self._lock:
            if self.status == "waiting" or not self.grace:
                self.kill()
            elif self.status == "running" and self.process and self.process.stdin:
                self.status, self._asked_at = "stopping", time.monotonic()
                with contextlib.suppress(BrokenPipeError):  # it has just ended by itself
                    self.process.stdin.close()

    def kill(self) -> None:
        """End its process at once."""
        with self._lock:
            if self.ended:
                return
            if self.process is not None:
                self.process.kill()
                self.process.wait()
            self._end("stopped")

    def look(self, present: Callable[[str], bool], gone_after: float) -> None:
        """Stop it where no session has wanted it for so many seconds; kill it if it will not."""
        now = time.monotonic()
        if self._is_wanted(present):
            self._seen = now
        if now - self._seen > gone_after:
            self.stop()
        if self._asked_at is not None and now - self._asked_at > self.grace:
            self.kill()

    def run(self) -> None:
        """Start the process, and take in what it tells until it is gone."""
        with tempfile.TemporaryFile() as errors:
            try:
                process = self._start(errors)
            except OSError as error:
                self._problem, self.refusal = str(error), error
                self._end("failed")
                return
            if process is not None:
                self._talk(process)
                self._close(process.wait(), errors)

    def _start(self, errors: IO[bytes]) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self.ended:
                return None
            self.process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=_ROOT,
                env=os.environ | _ONE_CORE,
            )
            self.status = "running"
            return self.process

    def _talk(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError, ValueError):  # it ended before it had read this
            process.stdin.write(to_line(self._request))
            process.stdin.flush()
        self._request = {}
        try:
            while (message := read(process.stdout)) is not None:
                self._take(message)
        except Exception as error:  # whatever it told, somebody has to wait for its end
            self._problem = str(error) or type(error).__name__
            process.kill()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()

    def _take(self, message: Message) -> None:
        match message:
            case {"progress": [int(done), int(total)]}:
                self.progress = done, total
            case {"failed": str(problem)}:
                self._problem = problem
                if isinstance(number := message.get("errno"), int):
                    self.refusal = OSError(number, problem)
            case {"done": result}:
                self.result, self._is_done = result, True
            case _:
                self._hear(message)

    def _close(self, code: int, errors: IO[bytes]) -> None:
        """Note how it ended."""
        with self._lock:
            if self.ended:
                return
            if self._is_done:
                self._end("done")
            elif self.status == "stopping" and not self._problem:
                self._end("stopped")
            else:
                self._problem = self._problem or _last_line(errors)
                self._code = code
                self._end("failed")

    def _end(self, status: Status) -> None:
        self.status = status
        self._ended_at = time.monotonic()

    def _is_wanted(self, present: Callable[[str], bool]) -> bool:
        return any(present(owner) for owner in self.owners.copy())


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "")
