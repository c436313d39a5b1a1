"""The projections of all sessions, each computed once; the latest are kept."""

import hashlib
import threading
from collections import OrderedDict

import numpy as np
from jaxtyping import Float

from viz.subjects.embeddings.projection import PCA, Projection, Settings, project
from viz.subjects.embeddings.wire import pack_request
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
    """Computes projections for all sessions, equal ones once, and keeps the latest."""

    def __init__(self, crew: Crew, command: tuple[str, ...] | None = None) -> None:
        self.crew = crew
        self._command = command
        self._found: OrderedDict[Key, Projection | Job] = OrderedDict()
        self._lock = threading.RLock()

    def project_here(
        self, vectors: Float[np.ndarray, "point d_model"], settings: PCA
    ) -> Projection:
        """Project in the calling thread, where that is quick. Raises ValueError."""
        key = projection_key(vectors, settings)
        found = self._look_up(key)
        if not isinstance(found, Projection):
            found = project(vectors, settings)
            self._keep(key, found)
        return found

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
            found = self._look_up(key)
            if isinstance(found, Job) and found.status not in ("stopped", "failed"):
                found.join(owner)
                return found
            request = pack_request(vectors, settings)
            job = Job(WORKER, request, owner=owner, mark=mark, command=self._command)
            self._keep(key, job)
        return self.crew.start(job)

    def leave(self, job: Job, owner: str) -> None:
        """Stop a projection unless another session waits for it."""
        job.leave(owner, self.crew.present)

    def _look_up(self, key: Key) -> Projection | Job | None:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def _keep(self, key: Key, found: Projection | Job) -> None:
        with self._lock:
            self._found[key] = found
            self._found.move_to_end(key)
            while len(self._found) > KEPT:
                self._found.popitem(last=False)


def projection_key(vectors: Float[np.ndarray, "point d_model"], settings: Settings) -> Key:
    """Name a projection by what goes into it."""
    digest = hashlib.sha256(f"{vectors.shape} {vectors.dtype}".encode())
    digest.update(np.ascontiguousarray(vectors).data)
    return digest.hexdigest(), settings
