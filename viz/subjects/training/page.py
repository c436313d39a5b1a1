"""Training: a time-lapse, a training on the page, and what its recipe is made of."""

import streamlit as st

from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.training import words
from viz.subjects.training.sections.depth import show_depth
from viz.subjects.training.sections.lapse import show_time_lapse
from viz.subjects.training.sections.live import show_live
from viz.subjects.training.sections.schedules import show_schedules
from viz.subjects.training.sections.smoothing import show_smoothing

TITLE = words.TITLE
URL = "training"

_PARTS = {
    words.LAPSE: ("lapse", show_time_lapse),
    words.LIVE: ("live", show_live),
    words.SCHEDULE: ("rate", show_schedules),
    words.SMOOTHING: ("smoothing", show_smoothing),
    words.DEPTH: ("depth", show_depth),
}


@st.fragment
def render(view: View) -> None:
    """Show one part at a time: only what is seen is computed."""
    follow_selection(view.run, view.parcel.key, URL)
    part = st.segmented_control(
        words.PARTS,
        list(_PARTS),
        default=words.LAPSE,
        required=True,
        key="part_training",
        bind="query-params",
        label_visibility="collapsed",
    )
    name, show = _PARTS[part]
    with st.container(border=True, key=f"card_training_{name}", gap="small"):
        show(view)
