"""Embeddings: a vocabulary and a sentence's states as points, their neighbours and likeness."""

from functools import partial

import streamlit as st

from texts import say_of
from viz.frame.expander import Part, one_at_a_time
from viz.run.address import page_part, said
from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.embeddings.sections.layers import show_similarities, show_trails
from viz.subjects.embeddings.sections.vocabulary import show_answer, show_vocabulary

URL = "embeddings"

_SECTIONS = {
    "vocabulary": show_vocabulary,
    "layers": show_trails,
    "likeness": show_similarities,
}
"""What draws each section, by the key that names it in a link too."""


@page_part
def render(view: View) -> None:
    """Name the words that are alike, let one section be opened, and compute only that one."""
    follow_selection(view.run, view.parcel.key, URL)
    show_answer(view)
    asked = said("embeddings_section")
    named = asked if asked in _SECTIONS else "vocabulary"
    with st.container(gap="xsmall"):
        one_at_a_time(
            [
                Part(say_of("embeddings.fold", key), partial(show, view), f"embeddings_{key}")
                for key, show in _SECTIONS.items()
            ],
            named=f"embeddings_{named}",
        )
