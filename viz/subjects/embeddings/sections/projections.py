"""The projection in view: its picture is there, or it shows how far it is and can be stopped."""

from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Float

from texts import say
from viz.frame.optional_packages import is_missing, show_missing
from viz.pictures import tokens
from viz.run.address import written
from viz.subjects.embeddings import words
from viz.subjects.embeddings.cache import project_here, projector
from viz.subjects.embeddings.jobs import Key, projection_key
from viz.subjects.embeddings.messages import read_projection
from viz.subjects.embeddings.projection import PCA, UMAP, Projection, Settings
from viz.work.job import Job, Mark
from viz.work.visit import session_id

_WAITING = "embeddings_waiting"
_OWN = "embeddings_"
"""How the names of the page's parameters in the link begin."""
_LOOK_EVERY = 0.5
"""Seconds between two looks at how far a projection is."""


class Waiting(NamedTuple):
    """The projection that this session waits for, or waited for last."""

    key: Key
    job: Job


def project_or_wait(
    vectors: Float[np.ndarray, "point d_model"], settings: Settings
) -> Projection | None:
    """Return the finished projection; else show how far it is, with a way to stop it."""
    key = projection_key(vectors, settings)
    before: Waiting | None = st.session_state.get(_WAITING)
    if before is not None and before.key != key:
        projector().leave(before.job, session_id())
        st.session_state.pop(_WAITING)
        before = None
    if problem := words.cannot_project(len(vectors), vectors.shape[1], settings):
        st.html(tokens.notice(say("embeddings.not_projected"), problem))
        return None
    if isinstance(settings, UMAP) and is_missing("umap"):
        show_missing("umap")
        return None
    if isinstance(settings, PCA):
        return project_here(vectors, settings)
    if before is None:
        job = projector().job(vectors, settings, session_id(), _mark(settings))
        before = st.session_state[_WAITING] = Waiting(key, job)
    return _finished_or_progress(before)


def _finished_or_progress(waiting: Waiting) -> Projection | None:
    job, settings = waiting.job, waiting.key[1]
    if job.status == "done":
        return read_projection(job.result)
    if job.status == "failed":
        st.html(tokens.notice(say("embeddings.not_projected"), job.problem))
    elif job.status == "stopped" or session_id() not in job.owners:
        stopped = say("embeddings.stopped_after", seconds=job.seconds)
        st.html(tokens.notice(stopped, say("embeddings.nothing_drawn")))
    else:
        _show_progress(job, settings)
        return None
    st.button(say("embeddings.start_again"), key="embeddings_again", on_click=_start_again)
    return None


@st.fragment(run_every=_LOOK_EVERY)
def _show_progress(job: Job, settings: Settings) -> None:
    """Show how far a projection is until it ends; the rest of the page stays usable."""
    if job.ended or session_id() not in job.owners:
        st.rerun()
    done, total = job.progress
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(done / total if total else 0.0, words.progress_words(job, settings))
        st.button(say("embeddings.stop"), key="embeddings_stop", on_click=_stop, args=(job,))


def _mark(settings: Settings) -> Mark:
    """Lead back to the page as it is now, with all that is chosen there."""
    query = {name: str(text) for name, text in written().items() if name.startswith(_OWN)}
    return Mark(lambda job: words.progress_words(job, settings), "embeddings", query)


def _stop(job: Job) -> None:
    projector().leave(job, session_id())


def _start_again() -> None:
    st.session_state.pop(_WAITING, None)
