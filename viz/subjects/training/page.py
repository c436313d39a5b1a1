"""Training: a time-lapse, a training on the page, and what its recipe is made of."""

import streamlit as st

from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.training.sections.lapse import show_time_lapse
from viz.subjects.training.sections.lessons import show_depth, show_schedules
from viz.subjects.training.sections.live import show_live
from viz.subjects.training.sections.smoothing import show_smoothing

TITLE = "Training"
URL = "training"

LAPSE, LIVE, SCHEDULE = "Time-lapse", "Live", "Learning rate"
SMOOTHING, DEPTH = "Label smoothing", "Depth"
_PARTS = {LAPSE: "lapse", LIVE: "live", SCHEDULE: "rate", SMOOTHING: "smoothing", DEPTH: "depth"}


@st.fragment
def render(view: View) -> None:
    """Show one part at a time: only what is seen is computed."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    part = st.segmented_control(
        "Part of this page",
        list(_PARTS),
        default=LAPSE,
        required=True,
        key="part_training",
        bind="query-params",
        label_visibility="collapsed",
    )
    with st.container(border=True, key=f"card_training_{_PARTS[part]}", gap="small"):
        if part == LAPSE:
            show_time_lapse()
        elif part == LIVE:
            show_live()
        elif part == SCHEDULE:
            show_schedules(view)
        elif part == SMOOTHING:
            show_smoothing(view, selection)
        else:
            show_depth()
