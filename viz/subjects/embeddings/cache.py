"""The projections of all sessions: those under way and the latest, found by what went into them."""

import streamlit as st

from viz.subjects.embeddings.jobs import AT_ONCE, GONE_AFTER, Projector
from viz.work.sessions import crew


@st.cache_resource(max_entries=1, show_spinner=False)
def projector() -> Projector:
    """Give the one that computes projections; it keeps a bounded number of them."""
    return Projector(crew("projections", AT_ONCE, GONE_AFTER))
