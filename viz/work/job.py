"""One process that a page started: its messages, its end, and the sessions that want it."""

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
    """Ignore the messages of a process before its end."""


class Mark(NamedTuple):
    """The mark of a job on other pages."""

    words: Callable[["Job"], str]
    """Describes the job and its progress."""
    page: str
    """URL of the page that started it."""
    query: Mapping[str, str]
    """The parameters of a link back to it."""
    key: str = ""
    """Parameter of the query whose secret value names the job; a session with it joins."""
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
        """Prepare the job for the sessions in `owners`; others may join.

        `hear` receives each message before the end, except the progress. When asked to stop, the
        process has `grace` seconds to end by itself.
        """
        self.owners = owners
        self.grace = grace
        self.mark = mark
        self.status: Status = "waiting"
        self.progress = (0, 0)
        """Steps done, and steps in all; 0 of 0 before the first report."""
        self.result: Any = None
        self.process: subprocess.Popen[bytes] | None = None
        self.refusal: OSError | None = None
        """The error of the system, if that is why it failed."""
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
        """Whether its process has ended, or will never start."""
        return self._ended_at is not None

    @property
    def problem(self) -> str:
        """The reason why it failed."""
        if self.status != "failed":
            return self._problem
        return self._problem or say("work.ended", status=self._code)

    @property
    def seconds(self) -> float:
        """Seconds since it was made, or until its end, including the wait for its turn."""
        return (self._ended_at or time.monotonic()) - self._begun

    def join(self, owner: str) -> None:
        """Add a session that wants it."""
        self.owners.add(owner)

    def leave(self, owner: str, present: Callable[[str], bool]) -> None:
        """Remove a session, and stop the job unless another present session wants it."""
        self.owners.discard(owner)
        if not self._is_wanted(present):
            self.stop()

    def stop(self) -> None:
        """Ask the process to stop, or end it at once if it has nothing to save."""
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
        """Stop it if no session wants it for `gone_after` seconds; kill it if it does not stop."""
        now = time.monotonic()
        if self._is_wanted(present):
            self._seen = now
        if now - self._seen > gone_after:
            self.stop()
        if self._asked_at is not None and now - self._asked_at > self.grace:
            self.kill()

    def run(self) -> None:
        """Start the process, and read its messages until it ends."""
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
        with contextlib.suppress(BrokenPipeError, ValueError):  # it ended before reading this
            process.stdin.write(to_line(self._request))
            process.stdin.flush()
        self._request = {}
        try:
            while (message := read(process.stdout)) is not None:
                self._take(message)
        except Exception as error:  # after any error, the process must be reaped
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
        """Record how the process ended."""
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
