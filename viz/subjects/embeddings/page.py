"""Embeddings: a vocabulary and a sentence's states as points, their neighbours and likeness."""

from functools import partial

import streamlit as st

from viz.frame.fold import Part, one_at_a_time
from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.embeddings import words
from viz.subjects.embeddings.sections.layers import show_similarities, show_trails
from viz.subjects.embeddings.sections.vocabulary import show_answer, show_vocabulary

TITLE = words.TITLE
URL = "embeddings"

_SECTIONS = {
    "vocabulary": (words.VOCABULARY, words.VOCABULARY_FOLD, show_vocabulary),
    "layers": (words.LAYERS, words.LAYERS_FOLD, show_trails),
    "likeness": (words.LIKENESS, words.LIKENESS_FOLD, show_similarities),
}
"""By the key of each section: its name in a link, its heading, and what draws it."""


@st.fragment
def render(view: View) -> None:
    """Name the words that are alike, let one section be opened, and compute only that one."""
    follow_selection(view.run, view.parcel.key, URL)
    show_answer(view)
    asked = st.query_params.get("embeddings_section", words.VOCABULARY)
    named = next((key for key, (name, *_) in _SECTIONS.items() if name == asked), "vocabulary")
    with st.container(gap="xsmall"):
        one_at_a_time(
            [
                Part(heading, partial(show, view), f"embeddings_{key}")
                for key, (_, heading, show) in _SECTIONS.items()
            ],
            named=f"embeddings_{named}",
        )
