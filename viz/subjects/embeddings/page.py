"""Embeddings: a vocabulary and a sentence's states as points, their neighbours and likeness."""

import streamlit as st

from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.embeddings.sections.layers import show_similarities, show_trails
from viz.subjects.embeddings.sections.vocabulary import show_vocabulary

TITLE = "Embeddings"
URL = "embeddings"

_VOCABULARY = "Vocabulary"
_LAYERS = "Layer by layer"
_LIKENESS = "Similarity and norms"


@st.fragment
def render(view: View) -> None:
    """Let one section be opened, and compute only what that one shows."""
    follow_selection(view.run, view.parcel.key, URL)
    section = st.segmented_control(
        "Section",
        (_VOCABULARY, _LAYERS, _LIKENESS),
        default=_VOCABULARY,
        required=True,
        key="embeddings_section",
        bind="query-params",
        label_visibility="collapsed",
    )
    if section == _VOCABULARY:
        show_vocabulary(view)
    elif section == _LAYERS:
        show_trails(view)
    else:
        show_similarities(view)
