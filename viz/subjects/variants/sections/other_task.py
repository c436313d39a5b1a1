"""The way to a task with several variants, from one that has a single one."""

import streamlit as st

from sample_data.tasks import TASKS
from viz.frame.controls import default_source
from viz.pictures import tokens
from viz.run import session
from viz.run.link import forget_selection
from viz.run.view import View
from viz.subjects.variants.cache import richest_task
from viz.subjects.variants.words import labels


def offer_another_task(view: View) -> None:
    """Say that there is nothing to compare here, and offer the task that has most variants."""
    task, names = richest_task()
    info = view.run.info
    own = TASKS[info.task].title if info.task in TASKS else info.task
    st.html(tokens.notice(labels.ONE_VARIANT, labels.nothing_to_compare(own, info.variant)))
    if len(names) > 1:
        st.button(
            labels.go_to(TASKS[task].title, len(names)),
            key="variants_other_task",
            on_click=_switch,
            args=(next(iter(names.values())),),
        )


def _switch(checkpoint: str) -> None:
    """Put another task's checkpoint, and its first example, into the sidebar."""
    forget_selection()
    st.session_state["checkpoint"] = checkpoint
    st.session_state["source"] = default_source(session.read_info(checkpoint))
    st.session_state["target"] = ""
