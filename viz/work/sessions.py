"""The worker pools of this server, and the jobs of the present session."""

from collections.abc import Callable

import streamlit as st

from viz.work.job import Job
from viz.work.visit import is_present, session_id
from viz.work.worker_pool import WorkerPool


def pool(kind: str, places: int, gone_after: float) -> WorkerPool:
    """Return the pool of a kind, which all sessions share."""
    return _pools().setdefault(kind, WorkerPool(places, is_present, gone_after))


def running() -> list[Job]:
    """Return the unfinished jobs of this session that have a mark, the earliest first."""
    session = session_id()
    jobs = [job for pool in _pools().values() for job in pool.jobs()]
    return [job for job in jobs if job.mark and session in job.owners]


def join_linked(said: Callable[[str], str | None]) -> None:
    """Join the jobs that the link names: after a reload, or in another browser.

    Args:
        said: Returns the value of a parameter of the link.
    """
    for pool in _pools().values():
        for job in pool.jobs():
            key = job.mark.key if job.mark else ""
            if job.mark and key and said(key) == job.mark.query[key]:
                job.join(session_id())


@st.cache_resource(max_entries=1, show_spinner=False)
def _pools() -> dict[str, WorkerPool]:
    return {}
