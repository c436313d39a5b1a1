"""Training: a time-lapse, a training on the page, and what its recipe is made of."""

from functools import partial

import streamlit as st

from viz.frame.changes import say_unchanged
from viz.frame.fold import Part, one_at_a_time
from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.training import words
from viz.subjects.training.sections.depth import show_depth
from viz.subjects.training.sections.lapse import lapse_heading, show_answer, show_time_lapse
from viz.subjects.training.sections.live import show_live
from viz.subjects.training.sections.schedules import show_schedules
from viz.subjects.training.sections.smoothing import show_smoothing

TITLE = words.TITLE
URL = "training"

_PARTS = {
    "lapse": (words.LAPSE, "", show_time_lapse),
    "live": (words.LIVE, words.LIVE_FOLD, show_live),
    "rate": (words.SCHEDULE, words.SCHEDULE_FOLD, show_schedules),
    "smoothing": (words.SMOOTHING, words.SMOOTHING_FOLD, show_smoothing),
    "depth": (words.DEPTH, words.DEPTH_FOLD, show_depth),
}
"""By the key of each part: its name in a link, its heading, and what draws it."""


@st.fragment
def render(view: View) -> None:
    """Answer how heads are learned, and show one part at a time: only what is seen is computed."""
    follow_selection(view.run, view.parcel.key, URL)
    say_unchanged(view)
    task = view.run.info.task
    show_answer(task)
    asked = st.query_params.get("part_training", words.LAPSE)
    named = next((key for key, (name, *_) in _PARTS.items() if name == asked), "lapse")
    with st.container(gap="xsmall"):
        one_at_a_time(
            [
                Part(heading or lapse_heading(task), partial(show, view), f"training_{key}")
                for key, (_, heading, show) in _PARTS.items()
            ],
            named=f"training_{named}",
        )
