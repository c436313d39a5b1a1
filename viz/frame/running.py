"""What runs for this session, marked on every page with a way back to it."""

import streamlit as st

from viz.address.address import put, said
from viz.address.link import go_to
from viz.pictures import tokens
from viz.work.job import Job, Mark
from viz.work.sessions import join_linked, running

_REFRESH = 2.0
"""Seconds between two looks at how far it is."""


def show_running() -> None:
    """Show what runs; it stays in the link, so that a reload of any page finds it again."""
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
    """Go to its page, as a link would, or to where else it was started."""
    if mark.reopen:
        mark.reopen()
    else:
        go_to(mark.page, mark.query)
