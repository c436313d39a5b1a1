"""Every head with its jobs and what it costs."""

import streamlit as st

from texts import say
from viz.address.address import written
from viz.corpus.tables import HeadName
from viz.frame.atlases import Place, roles_of
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.subjects.corpus import cache, words
from viz.subjects.corpus.report import (
    costs_table,
    roles_table,
)


def show_all(place: Place, head: HeadName) -> None:
    """Show every head and its job, and where it is known what the model loses without it."""
    st.html(tokens.note(say("corpus.all_heads_note")))
    heads = cache.summary(place).heads
    kept = written()
    st.html(roles_table(heads, roles_of(place), kept, head))
    if found := cache.costs_of(place):
        st.html(tokens.note(explained(words.cost_words(found, head))))
        st.html(costs_table(found, kept, head))
