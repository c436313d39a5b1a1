"""What takes its time: it is there, or it can be asked for, or it shows how far it is."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from texts import say
from viz.pictures import tokens
from viz.subjects.mattered.cache import measurer
from viz.subjects.mattered.words.edges import progress_words
from viz.work.job import Job, Mark
from viz.work.messages import Message
from viz.work.visit import session_id

_LOOK_EVERY = 0.5
"""Seconds between two looks at how far a measurement is."""
_PAGE = "mattered"


def measured(request: Message, what: str, offer: str, *, key: str) -> Any | None:  # noqa: ANN401
    """Return what a process found; else offer to start it, or show how far it is.

    Args:
        request: What it is asked.
        what: What it measures, for its progress: a name in the texts.
        offer: What stands beside the button that starts it.
        key: Of its fold, to which the list of what runs leads back.
    """
    job = measurer().find(request)
    if job and job.status == "done":
        return job.result
    start = _starter(request, what, key)
    if job is None:
        _offer(offer, say("mattered.measure"), start, key)
    elif job.status == "failed":
        st.html(tokens.notice(say("mattered.not_measured"), job.problem))
        _offer("", say("mattered.start_again"), start, key)
    elif job.status == "stopped":
        stopped = say("mattered.stopped", seconds=job.seconds)
        _offer(stopped, say("mattered.start_again"), start, key)
    else:
        job.join(session_id())
        _show_progress(job, what, key)
    return None


def _starter(request: Message, what: str, key: str) -> Callable[[], None]:
    def mark() -> Mark:
        return Mark(lambda job: progress_words(job, what), _PAGE, {f"more_{key}": "true"})

    def start() -> None:
        measurer().start(request, session_id(), mark)

    return start


def _offer(said: str, label: str, start: Callable[[], None], key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        if said:
            st.html(tokens.note(said), width="content")
        st.button(label, key=f"{key}_start", on_click=start)


@st.fragment(run_every=_LOOK_EVERY)
def _show_progress(job: Job, what: str, key: str) -> None:
    """Show how far a measurement is until it ends; the rest of the page stays usable."""
    if job.ended:
        st.rerun()
    done, total = job.progress
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(done / total if total else 0.0, progress_words(job, what))
        st.button(
            say("mattered.stop"),
            key=f"{key}_stop",
            on_click=measurer().leave,
            args=(job, session_id()),
        )
