"""What the link says of the comparison: which other run, and in which order."""

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
"""Parameters of the link, and how many characters of each are read."""


def follow_link(device: str) -> None:
    """Pin the run that a link holds."""
    if is_news(_PINNED) and (found := read_pin(asked(_PINNED), device)):
        pin(found)


def asked(name: str, usual: str = "") -> str:
    """Return what was asked for by a name, or else what is usual."""
    return (said(name) or "")[: NAMES[name]] or usual


def ask(name: str, value: str) -> None:
    """Ask for something; empty text is the usual."""
    put(name, value or None)


def ask_widget(name: str, widget: str) -> None:
    """Ask for what a widget holds: a callback."""
    value: Any = st.session_state[widget]
    if value is not None:
        ask(name, str(value))
