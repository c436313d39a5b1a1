"""The comparison's part of the link: the other run, and the order of the heads."""

from typing import Any

import streamlit as st

from viz.address.address import is_news, put, said
from viz.frame.pinned_run import LONGEST_LINK, pin, read_pin
from viz.frame.source_texts import LONGEST_TYPED

_PINNED = "pinned"
NAMES = {
    "with": 20,
    "other_source": LONGEST_TYPED,
    "other_model": 200,
    _PINNED: LONGEST_LINK,
}
"""The parameters of the link, and how many characters of each are read."""


def follow_link(device: str) -> None:
    """Pin the run that a link names."""
    if is_news(_PINNED) and (found := read_pin(asked(_PINNED), device)):
        pin(found)


def asked(name: str, usual: str = "") -> str:
    """Return the value of a parameter, or the default."""
    return (said(name) or "")[: NAMES[name]] or usual


def ask(name: str, value: str) -> None:
    """Set a parameter; an empty text means the default."""
    put(name, value or None)


def ask_widget(name: str, widget: str) -> None:
    """Set a parameter to the value of a widget, in its callback."""
    value: Any = st.session_state[widget]
    if value is not None:
        ask(name, str(value))
