"""Models of the Hugging Face Hub that sessions look up, and download if the user agrees.

A separate process does both. It ends when the user stops it, or when all its sessions are gone. The
downloaded bytes stay, and the next download continues from them.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from model.foreign.hub.names import HubError, HubName
from viz.work.job import Job, Mark
from viz.work.worker_pool import WorkerPool

WORKER = "viz.models.hub_worker"
KEY = "fetching"
"""Parameter of the link by which a reloaded page finds its download."""
GONE_AFTER = 120.0
"""Seconds after which a download whose sessions are gone stops."""
PLACES = 2
_MOST_KEPT = 16
"""Most ended downloads to remember."""


class Found(NamedTuple):
    """An offer of the Hub: one commit of a model."""

    commit: str
    files: int
    size: int
    left: int
    """Bytes missing from the cache."""
    free: int
    """Free bytes on the disk of the cache."""


class Fetching:
    """A model that a session asked for."""

    def __init__(
        self, name: HubName, words: Callable[["Fetching"], str], reopen: Callable[[], None]
    ) -> None:
        """Prepare the look-up; `words` describes its progress, `reopen` shows the dialog again."""
        self.name = name
        self.id = secrets.token_hex(16)
        self._words = words
        self._reopen = reopen
        self._commit: str | None = None
        self._found: Found | None = None
        self.job = self._job()

    @property
    def downloads(self) -> bool:
        """Whether this is a download, rather than a look-up."""
        return self._commit is not None

    @property
    def found(self) -> Found | None:
        """The offer of the Hub, once it is known."""
        result = self.job.result
        if not self.downloads and isinstance(result, dict) and "commit" in result:
            self._found = Found(**result)
        return self._found

    @property
    def opened_as(self) -> str | None:
        """The name of the model in the cache, after the download."""
        result = self.job.result
        return result.get("name") if isinstance(result, dict) and self.downloads else None

    @property
    def problem(self) -> str | None:
        """The reason why the model is not available, for the reader; None if nothing is wrong."""
        result = self.job.result
        if isinstance(result, dict) and "refused" in result:
            return str(HubError(result["refused"], **result["facts"]))
        return self.job.problem if self.job.status == "failed" else None

    def download(self) -> Job:
        """Prepare the download of the offer, or of the rest of it."""
        assert self.found is not None
        self._commit = self.found.commit
        self.job = self._job()
        return self.job

    def _job(self) -> Job:
        request = {"name": str(self.name), "commit": self._commit}
        mark = Mark(lambda _: self._words(self), "", {KEY: self.id}, KEY, self._reopen)
        return Job(WORKER, request, owners=set(), mark=mark)


class Fetches:
    """All look-ups and downloads, shared by all sessions; threads may call its methods."""

    def __init__(self, pool: WorkerPool) -> None:
        """Run the processes in a pool."""
        self._pool = pool
        self._known: OrderedDict[str, Fetching] = OrderedDict()

    def find(self, id: str) -> Fetching | None:
        """Return a session's request by the id in its link; None if unknown."""
        return self._known.get(id)

    def look_up(self, fetching: Fetching, session: str) -> None:
        """Ask the Hub for its offer."""
        for id in [id for id, each in self._known.items() if each.job.ended][:-_MOST_KEPT]:
            self._known.pop(id, None)
        self._known[fetching.id] = fetching
        self._start(fetching.job, session)

    def download(self, fetching: Fetching, session: str) -> None:
        """Start the download, or continue it."""
        self._start(fetching.download(), session)

    def _start(self, job: Job, session: str) -> None:
        job.join(session)
        self._pool.start(job)
