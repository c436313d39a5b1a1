"""The jobs of one kind on a server: so many at a time, each for as long as a session wants it."""

import threading
import time
from collections.abc import Callable

from viz.work.job import Job

_LOOKS = 10
"""That are taken, in the time after which a session counts as gone, at whether it is there."""
_POLL = 0.2
"""Seconds between two looks of a job at whether its turn has come."""


class NoPlaceError(ValueError):
    """All places are taken."""


class WorkerPool:
    """Starts jobs and ends those that nobody wants; may be called from any thread."""

    def __init__(self, places: int, present: Callable[[str], bool], gone_after: float) -> None:
        """Let so many run at a time; `present` tells whether a session is there."""
        self.places = places
        self.present = present
        self._gone_after = gone_after
        self._jobs: list[Job] = []
        """All that have not ended, the earliest first."""
        self._changed = threading.Condition()
        self._is_watched = False

    def jobs(self) -> list[Job]:
        """List the jobs that wait or run."""
        with self._changed:
            return [job for job in self._jobs if not job.ended]

    def start(self, job: Job, *, wait: bool = True) -> Job:
        """Start a job when there is a place; without `wait`, now or never.

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
        """Look after the sessions by the clock: a process that hangs tells nothing."""
        while True:
            with self._changed:
                jobs = list(self._jobs)
                if not jobs:
                    self._is_watched = False
                    return
            for job in jobs:
                job.look(self.present, self._gone_after)
            time.sleep(min(1.0, self._gone_after / _LOOKS))
