"""Jobs by what they were asked: one for equal requests of all sessions, and the latest kept."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from viz.work.job import Job
from viz.work.worker_pool import WorkerPool


class KeptJobs:
    """Starts jobs in a pool, each once, and keeps so many of them."""

    def __init__(self, pool: WorkerPool, most: int) -> None:
        self.pool = pool
        self._most = most
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._lock = threading.Lock()

    def kept(self, key: Hashable) -> Job | None:
        """Find the job that was asked this before, whatever became of it."""
        with self._lock:
            return self._jobs.get(key)

    def join(self, key: Hashable, owner: str, make: Callable[[], Job]) -> Job:
        """Join the job that was asked this, or start it; a stopped one starts again."""
        with self._lock:
            found = self._jobs.get(key)
            if found is None or found.status in ("stopped", "failed"):
                found = self._jobs[key] = self.pool.start(make())
            self._jobs.move_to_end(key)
            while len(self._jobs) > self._most:
                self._jobs.popitem(last=False)
        found.join(owner)
        return found

    def leave(self, job: Job, owner: str) -> None:
        """Stop a job unless another session waits for it."""
        job.leave(owner, self.pool.present)
