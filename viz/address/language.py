"""The language of a session: the one chosen in it, else the link's, else the browser's."""

import streamlit as st

from texts import LANGUAGES, Language, accepted, asking
from viz.address.address import bound
from viz.work.visit import session_id

LANGUAGE = "lang"
"""Key of the field for the language, and parameter of the link."""


def follow_language() -> Language:
    """Return the language of a session, and keep it in the link."""
    return accepted(st.session_state[bound(LANGUAGE, browser_language(), LANGUAGES)])


def session_language() -> Language:
    """Return the language of a session, also before its first run."""
    chosen = st.session_state.get(LANGUAGE) or st.query_params.get(LANGUAGE)
    return accepted(chosen) if chosen in LANGUAGES else browser_language()


def browser_language() -> Language:
    """Return the language that the browser prefers, which a link does not name."""
    return accepted(st.context.locale)


def _asked() -> Language | None:
    return session_language() if session_id() else None


asking(_asked)
