"""The projections of all sessions: those under way and the latest, found by what went into them."""

import streamlit as st

from viz.subjects.embeddings.jobs import Projector


@st.cache_resource(max_entries=1, show_spinner=False)
def projector() -> Projector:
    """Give the one that computes projections; it keeps a bounded number of them."""
    return Projector()
