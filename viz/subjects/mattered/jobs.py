"""The measurements that need a process, for all sessions, each once; the latest are kept."""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable

from viz.work.crew import Crew
from viz.work.job import Job, Mark
from viz.work.messages import Message

WORKER = "viz.subjects.mattered.worker"
AT_ONCE = 1
"""Processes that run at a time; other measurements wait."""
GONE_AFTER = 20.0
"""Seconds after which a measurement whose sessions are gone ends."""
KEPT = 16


class Measurer:
    """Starts the processes that measure, one for equal requests, and keeps the latest."""

    def __init__(self, crew: Crew, command: tuple[str, ...] | None = None) -> None:
        self.crew = crew
        self._command = command
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, request: Message) -> Job | None:
        """Find the process that was asked this before, whatever became of it."""
        with self._lock:
            return self._jobs.get(_key(request))

    def start(self, request: Message, owner: str, mark: Callable[[], Mark]) -> Job:
        """Start a process, or join the one that is at it; a stopped one starts again."""
        key = _key(request)
        with self._lock:
            found = self._jobs.get(key)
            if found is None or found.status in ("stopped", "failed"):
                found = Job(
                    WORKER, dict(request), owners={owner}, mark=mark(), command=self._command
                )
                self._jobs[key] = self.crew.start(found)
            self._jobs.move_to_end(key)
            while len(self._jobs) > KEPT:
                self._jobs.popitem(last=False)
        found.join(owner)
        return found

    def leave(self, job: Job, owner: str) -> None:
        """Stop a measurement unless another session waits for it."""
        job.leave(owner, self.crew.present)


def _key(request: Message) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
