"""The way to a task with several variants, from one that has a single one."""

import streamlit as st

from sample_data.tasks import TASKS
from texts import say
from viz.frame.controls import default_source
from viz.pictures import tokens
from viz.run import session
from viz.run.link import forget_selection
from viz.run.view import View
from viz.subjects.variants.cache import richest_task
from viz.subjects.variants.titles import titled
from viz.subjects.variants.words import labels


def offer_another_task(view: View) -> None:
    """Explain why another task was measured, and offer it: the one that has most variants."""
    task, names = richest_task()
    info = view.run.info
    own = TASKS[info.task].title if info.task in TASKS else info.task
    measured = TASKS[task].title if len(names) > 1 else None
    said = labels.nothing_to_compare(own, titled(info.variant), measured)
    with st.container(gap="xsmall"):
        st.html(tokens.notice(say("variants.one_variant"), said))
        if measured is not None:
            st.button(
                say("variants.go_to", task=measured, count=len(names)),
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
