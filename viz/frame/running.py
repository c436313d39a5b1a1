"""The running jobs of this session, shown on every page with a link to their own page."""

import streamlit as st

from viz.address.address import put, said
from viz.address.link import go_to
from viz.pictures import tokens
from viz.work.job import Job, Mark
from viz.work.sessions import join_linked, running

_REFRESH = 2.0
"""Seconds between two updates of the progress."""


def show_running() -> None:
    """Show the running jobs, and keep them in the link, so that a reload finds them again."""
    join_linked(said)
    jobs = running()
    for job in jobs:
        if job.mark and job.mark.key and said(job.mark.key) is None:
            put(job.mark.key, job.mark.query[job.mark.key])
    if jobs:
        st.fragment(_show, run_every=_REFRESH)(jobs)


def _show(jobs: list[Job]) -> None:
    if all(job.ended for job in jobs):
        st.rerun()
    with st.container(key="frame_running", gap="xsmall"):
        for number, job in enumerate(jobs):
            assert job.mark is not None
            label = tokens.markdown(job.mark.words(job))
            key = f"running_{number}"
            if st.button(label, key=key, width="stretch", on_click=_open, args=(job.mark,)):
                st.rerun()


def _open(mark: Mark) -> None:
    """Go to the page of a job by its link, or open the dialog that started it."""
    if mark.reopen:
        mark.reopen()
    else:
        go_to(mark.page, mark.query)
