"""The language of a session: chosen in it, else of the link, else of the browser."""

import streamlit as st

from texts import LANGUAGES, Language, accepted, asking
from viz.address.address import bound
from viz.work.visit import session_id

LANGUAGE = "lang"
"""Of the field in which it is chosen, and of the link."""


def follow_language() -> Language:
    """Return the language in which a session is spoken to, and keep it in the link."""
    return accepted(st.session_state[bound(LANGUAGE, browser_language(), LANGUAGES)])


def session_language() -> Language:
    """Return the language in which a session is spoken to, also before it has begun."""
    chosen = st.session_state.get(LANGUAGE) or st.query_params.get(LANGUAGE)
    return accepted(chosen) if chosen in LANGUAGES else browser_language()


def browser_language() -> Language:
    """Return the language that the browser prefers: a link need not name that."""
    return accepted(st.context.locale)


def _asked() -> Language | None:
    return session_language() if session_id() else None


asking(_asked)
