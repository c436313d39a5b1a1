"""The measurements that need a process, for all sessions, each once; the latest are kept."""

import hashlib
import json
from collections.abc import Callable

from viz.work.job import Job, Mark
from viz.work.job_store import KeptJobs
from viz.work.messages import Message
from viz.work.worker_pool import Crew

WORKER = "viz.subjects.mattered.worker"
AT_ONCE = 1
"""Processes that run at a time; other measurements wait."""
GONE_AFTER = 20.0
"""Seconds after which a measurement whose sessions are gone ends."""
KEPT = 16


class Measurer(KeptJobs):
    """Starts the processes that measure, one for equal requests, and keeps the latest."""

    def __init__(self, crew: Crew, command: tuple[str, ...] | None = None) -> None:
        super().__init__(crew, KEPT)
        self._command = command

    def find(self, request: Message) -> Job | None:
        """Find the process that was asked this before, whatever became of it."""
        return self.kept(_key(request))

    def start(self, request: Message, owner: str, mark: Callable[[], Mark]) -> Job:
        """Start a process, or join the one that is at it; a stopped one starts again."""

        def make() -> Job:
            return Job(WORKER, dict(request), owners={owner}, mark=mark(), command=self._command)

        return self.join(_key(request), owner, make)


def _key(request: Message) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
