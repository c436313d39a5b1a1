"""The projections that need a process, for all sessions, each once; the latest are kept."""

import hashlib

import numpy as np
from jaxtyping import Float

from viz.subjects.embeddings.messages import pack_request
from viz.subjects.embeddings.projection import Settings
from viz.work.job import Job, Mark
from viz.work.job_store import KeptJobs
from viz.work.worker_pool import Crew

Key = tuple[str, Settings]
"""Digest of the vectors, and how they are projected."""

WORKER = "viz.subjects.embeddings.worker"
AT_ONCE = 2
"""Processes that run at a time; other projections wait."""
GONE_AFTER = 5.0
"""Seconds after which a projection whose sessions are gone ends."""
KEPT = 32


class Projector(KeptJobs):
    """Starts the processes that project, one for equal projections, and keeps the latest."""

    def __init__(self, crew: Crew, command: tuple[str, ...] | None = None) -> None:
        super().__init__(crew, KEPT)
        self._command = command

    def job(
        self,
        vectors: Float[np.ndarray, "point d_model"],
        settings: Settings,
        owner: str,
        mark: Mark | None = None,
    ) -> Job:
        """Find the process that projects these vectors, or start it; a stopped one starts again."""

        def make() -> Job:
            request = pack_request(vectors, settings)
            return Job(WORKER, request, owners={owner}, mark=mark, command=self._command)

        return self.join(projection_key(vectors, settings), owner, make)


def projection_key(vectors: Float[np.ndarray, "point d_model"], settings: Settings) -> Key:
    """Name a projection by what goes into it."""
    digest = hashlib.sha256(f"{vectors.shape} {vectors.dtype}".encode())
    digest.update(np.ascontiguousarray(vectors).data)
    return digest.hexdigest(), settings
