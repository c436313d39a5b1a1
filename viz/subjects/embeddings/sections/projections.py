"""The projection in view: its picture is there, or it shows how far it is and can be stopped."""

from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Float

from viz.pictures import tokens
from viz.subjects.embeddings import words
from viz.subjects.embeddings.cache import project_here, projector
from viz.subjects.embeddings.jobs import Key, projection_key
from viz.subjects.embeddings.projection import PCA, Projection, Settings
from viz.subjects.embeddings.told import read_projection
from viz.work.job import Job, Mark
from viz.work.sessions import session_id

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
    if isinstance(settings, PCA):
        try:
            return project_here(vectors, settings)
        except ValueError as error:
            st.html(tokens.notice(words.NOT_PROJECTED, str(error)))
            return None
    if before is None:
        job = projector().job(vectors, settings, session_id(), _mark(settings))
        before = st.session_state[_WAITING] = Waiting(key, job)
    return _finished_or_progress(before)


def _finished_or_progress(waiting: Waiting) -> Projection | None:
    job, settings = waiting.job, waiting.key[1]
    if job.status == "done":
        return read_projection(job.result)
    if job.status == "failed":
        st.html(tokens.notice(words.NOT_PROJECTED, job.problem))
    elif job.status == "stopped" or session_id() not in job.owners:
        st.html(tokens.notice(words.stopped_words(job.seconds), words.NOTHING_DRAWN))
    else:
        _show_progress(job, settings)
        return None
    st.button(words.START_AGAIN, key="embeddings_again", on_click=_start_again)
    return None


@st.fragment(run_every=_LOOK_EVERY)
def _show_progress(job: Job, settings: Settings) -> None:
    """Show how far a projection is until it ends; the rest of the page stays usable."""
    if job.ended or session_id() not in job.owners:
        st.rerun()
    done, total = job.progress
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(done / total if total else 0.0, words.progress_words(job, settings))
        st.button(words.STOP, key="embeddings_stop", on_click=_stop, args=(job,))


def _mark(settings: Settings) -> Mark:
    """Lead back to the page as it is now, with all that is chosen there."""
    query = {name: st.query_params[name] for name in st.query_params if name.startswith(_OWN)}
    return Mark(lambda job: words.progress_words(job, settings), "embeddings", query)


def _stop(job: Job) -> None:
    projector().leave(job, session_id())


def _start_again() -> None:
    st.session_state.pop(_WAITING, None)
