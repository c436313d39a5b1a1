"""What mattered: parts cut out one by one, edges, many sentences, and what carries a difference."""

import streamlit as st

from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.mattered import words
from viz.subjects.mattered.sections.cuts import show_all_cuts, show_answer

TITLE = words.TITLE
URL = "mattered"


@st.fragment
def render(view: View) -> None:
    """Say which part the sentence needed, and show what each cut does to it."""
    follow_selection(view.run, view.parcel.key, URL)
    show_answer(view)
    show_all_cuts(view)
