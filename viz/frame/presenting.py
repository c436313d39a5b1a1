"""Whether presenter mode is on: it enlarges the type and hides the sidebar."""

import streamlit as st

from viz.address import address

PRESENTER = "presenter"
"""The field of the address."""


def is_presenting() -> bool:
    """Return whether presenter mode is on, even before its switch is drawn: a link may set it."""
    return bool(st.session_state[address.bound(PRESENTER, usual=False)])
