"""Embeddings: which words are alike to the model, and what becomes of a sentence's by layer."""

from functools import partial

import streamlit as st

from texts import say_of
from viz.frame.expander import fold
from viz.run.address import page_part
from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.embeddings.sections.layers import show_trails
from viz.subjects.embeddings.sections.nearest import (
    asked_word,
    show_all_words,
    show_answer,
    show_nearest,
)

URL = "embeddings"


@page_part
def render(view: View) -> None:
    """Show the nearest of one word; what folds hold is computed once they are opened."""
    follow_selection(view.run, view.parcel.key, URL)
    asked = asked_word(view)
    show_answer(view, asked)
    show_nearest(view, asked)
    folds = {
        "all": partial(show_all_words, view, asked),
        "layers": partial(show_trails, view),
    }
    with st.container(gap="xsmall"):
        for key, show in folds.items():
            fold(say_of("embeddings.fold", key), show, key=f"embeddings_{key}")
