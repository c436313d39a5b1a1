"""The jobs of one kind on a server: a limited number at a time, each while a session wants it."""

import threading
import time
from collections.abc import Callable

from viz.work.job import Job

_LOOKS = 10
"""Checks of each session's presence within the time after which it counts as gone."""
_POLL = 0.2
"""Seconds between two checks of a job whether its turn has come."""


class NoPlaceError(ValueError):
    """All places are taken."""


class WorkerPool:
    """Starts jobs, and ends those that no session wants; threads may call its methods."""

    def __init__(self, places: int, present: Callable[[str], bool], gone_after: float) -> None:
        """Let `places` jobs run at a time; `present` returns whether a session is there."""
        self.places = places
        self.present = present
        self._gone_after = gone_after
        self._jobs: list[Job] = []
        """All unfinished jobs, the earliest first."""
        self._changed = threading.Condition()
        self._is_watched = False

    def jobs(self) -> list[Job]:
        """Return the jobs that wait or run."""
        with self._changed:
            return [job for job in self._jobs if not job.ended]

    def start(self, job: Job, *, wait: bool = True) -> Job:
        """Start a job when there is a place; without `wait`, only if there is one now.

        Raises NoPlaceError.
        """
        with self._changed:
            if not wait and len(self.jobs()) >= self.places:
                raise NoPlaceError
            self._jobs.append(job)
            if not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._watch, daemon=True).start()
        threading.Thread(target=self._run, args=(job,), daemon=True).start()
        return job

    def _run(self, job: Job) -> None:
        with self._changed:
            while not job.ended and job not in self._jobs[: self.places]:
                self._changed.wait(_POLL)
        job.run()
        with self._changed:
            self._jobs.remove(job)
            self._changed.notify_all()

    def _watch(self) -> None:
        """Check the sessions at intervals, because a process that hangs sends nothing."""
        while True:
            with self._changed:
                jobs = list(self._jobs)
                if not jobs:
                    self._is_watched = False
                    return
            for job in jobs:
                job.look(self.present, self._gone_after)
            time.sleep(min(1.0, self._gone_after / _LOOKS))
