"""The Training page: a time-lapse, and a training on the page."""

from functools import partial

import streamlit as st

from texts import say_of
from viz.address.address import page_part, said
from viz.address.link import follow_selection
from viz.frame.expander import Part, one_at_a_time
from viz.frame.unchanged import say_unchanged
from viz.run.view import View
from viz.subjects.training.sections.lapse import lapse_heading, show_answer, show_time_lapse
from viz.subjects.training.sections.live_training import show_live

URL = "training"

_PARTS = {"lapse": show_time_lapse, "live": show_live}
"""The function that draws each part, by the part's name, which is also in links."""


@page_part
def render(view: View) -> None:
    """Answer how heads learn, and show one part at a time, so that only this part is computed."""
    follow_selection(view.run, view.parcel.key, URL)
    say_unchanged(view)
    task = view.run.info.task
    show_answer(task)
    asked = said("part_training")
    named = asked if asked in _PARTS else "lapse"
    with st.container(gap="xsmall"):
        one_at_a_time(
            [
                Part(_heading(name, task), partial(show, view), f"training_{name}")
                for name, show in _PARTS.items()
            ],
            named=f"training_{named}",
        )


def _heading(name: str, task: str) -> str:
    return lapse_heading(task) if name == "lapse" else say_of("training.fold", name)
