"""Embeddings: a vocabulary and a sentence's states as points, their neighbours and likeness."""

import streamlit as st

from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.embeddings import words
from viz.subjects.embeddings.sections.layers import show_similarities, show_trails
from viz.subjects.embeddings.sections.vocabulary import show_vocabulary

TITLE = words.TITLE
URL = "embeddings"

_SECTIONS = {
    words.VOCABULARY: show_vocabulary,
    words.LAYERS: show_trails,
    words.LIKENESS: show_similarities,
}


@st.fragment
def render(view: View) -> None:
    """Let one section be opened, and compute only what that one shows."""
    follow_selection(view.run, view.parcel.key, URL)
    section = st.segmented_control(
        words.SECTION,
        list(_SECTIONS),
        default=words.VOCABULARY,
        required=True,
        key="embeddings_section",
        bind="query-params",
        label_visibility="collapsed",
    )
    _SECTIONS[section](view)
