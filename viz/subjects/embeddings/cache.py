"""The projections of all sessions: those under way and the latest, found by what went into them."""

import streamlit as st

from viz.run.result_cache import cached
from viz.subjects.embeddings.jobs import AT_ONCE, GONE_AFTER, Projector, projection_key
from viz.subjects.embeddings.projection import project
from viz.work.sessions import crew

project_here = cached(project, key=projection_key)
"""Project in the calling thread, where that is quick, once. Raises ValueError."""


@st.cache_resource(max_entries=1, show_spinner=False)
def projector() -> Projector:
    """Return the one that starts the projections that take their time."""
    return Projector(crew("projections", AT_ONCE, GONE_AFTER))
