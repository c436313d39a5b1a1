"""The Embeddings page: the gender of nouns, the nearest words, and a sentence layer by layer."""

from functools import partial

import streamlit as st

from texts import say_of
from viz.address.address import page_part
from viz.address.link import follow_selection
from viz.frame.expander import fold
from viz.run.view import View
from viz.subjects.embeddings.cache import nouns_of
from viz.subjects.embeddings.sections.layers import show_trails
from viz.subjects.embeddings.sections.nearest import (
    asked_word,
    show_all_words,
    show_answer,
    show_nearest,
)
from viz.subjects.embeddings.sections.nouns import show_nouns

URL = "embeddings"


@page_part
def render(view: View) -> None:
    """Show what nouns encode and the words nearest to one; folds are computed when opened."""
    follow_selection(view.run, view.parcel.key, URL)
    asked = asked_word(view)
    plane = nouns_of(view, asked.known)
    show_answer(view, asked, plane)
    folds = {
        "all": partial(show_all_words, view, asked),
        "layers": partial(show_trails, view),
    }
    nearest = partial(show_nearest, view, asked, plane)
    if plane is None:
        nearest()
    else:
        show_nouns(view, asked, plane)
        folds = {"nearest": nearest, **folds}
    with st.container(gap="xsmall"):
        for key, show in folds.items():
            asked_by = [asked.key] if key == "nearest" else ()
            fold(say_of("embeddings.fold", key), show, key=f"embeddings_{key}", asked_by=asked_by)
