"""The projections that need a process, for all sessions, each once; the latest are kept."""

import hashlib
import threading
from collections import OrderedDict

import numpy as np
from jaxtyping import Float

from viz.subjects.embeddings.projection import Settings
from viz.subjects.embeddings.told import pack_request
from viz.work.crew import Crew
from viz.work.job import Job, Mark

Key = tuple[str, Settings]
"""Digest of the vectors, and how they are projected."""

WORKER = "viz.subjects.embeddings.worker"
AT_ONCE = 2
"""Processes that run at a time; other projections wait."""
GONE_AFTER = 5.0
"""Seconds after which a projection whose sessions are gone ends."""
KEPT = 32


class Projector:
    """Starts the processes that project, one for equal projections, and keeps the latest."""

    def __init__(self, crew: Crew, command: tuple[str, ...] | None = None) -> None:
        self.crew = crew
        self._command = command
        self._jobs: OrderedDict[Key, Job] = OrderedDict()
        self._lock = threading.Lock()

    def job(
        self,
        vectors: Float[np.ndarray, "point d_model"],
        settings: Settings,
        owner: str,
        mark: Mark | None = None,
    ) -> Job:
        """Find the process that projects these vectors, or start it; a stopped one starts again."""
        key = projection_key(vectors, settings)
        with self._lock:
            found = self._jobs.get(key)
            if found is None or found.status in ("stopped", "failed"):
                request = pack_request(vectors, settings)
                found = Job(WORKER, request, owners={owner}, mark=mark, command=self._command)
                self._jobs[key] = self.crew.start(found)
            self._jobs.move_to_end(key)
            while len(self._jobs) > KEPT:
                self._jobs.popitem(last=False)
        found.join(owner)
        return found

    def leave(self, job: Job, owner: str) -> None:
        """Stop a projection unless another session waits for it."""
        job.leave(owner, self.crew.present)


def projection_key(vectors: Float[np.ndarray, "point d_model"], settings: Settings) -> Key:
    """Name a projection by what goes into it."""
    digest = hashlib.sha256(f"{vectors.shape} {vectors.dtype}".encode())
    digest.update(np.ascontiguousarray(vectors).data)
    return digest.hexdigest(), settings
