"""What the link and the session say of the comparison: which other run, paired and shown how."""

from typing import Any

import streamlit as st

from viz.frame.bar import LONGEST_TYPED
from viz.frame.pinned import LONGEST_LINK, pin, read_pin
from viz.work.visit import is_returned

_MEMORY = "compare"
NAMES = {
    "with": 20,
    "other_source": LONGEST_TYPED,
    "other_target": LONGEST_TYPED,
    "other_model": 200,
    "pinned": LONGEST_LINK,
    "pair_by": 20,
    "pairs": 600,
    "by_number": 5,
    "compare_order": 10,
    "compare_view": 10,
}
"""Parameters of the link, and how many characters of each are read."""


def follow_link(device: str) -> None:
    """Take from the link what it says; put there what was chosen before, on the way back here."""
    linked = {n: st.query_params[n][:most] for n, most in NAMES.items() if n in st.query_params}
    known: dict[str, str] = {} if is_returned() else st.session_state.get(_MEMORY, {})
    if linked.get("pinned") not in (None, known.get("pinned")):
        found = read_pin(linked["pinned"], device)
        if found:
            pin(found)
    st.session_state[_MEMORY] = known | linked
    missing = {n: text for n, text in known.items() if n not in linked and text}
    if missing:
        st.query_params.update(missing)


def asked(name: str, usual: str = "") -> str:
    """Give what was asked for by a name, or else what is usual."""
    return st.session_state.get(_MEMORY, {}).get(name) or usual


def ask(name: str, value: str) -> None:
    """Ask for something, in the session and in the link; empty text is the usual."""
    st.session_state[_MEMORY] = st.session_state.get(_MEMORY, {}) | {name: value}
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)


def ask_widget(name: str, widget: str) -> None:
    """Ask for what a widget holds: a callback."""
    value: Any = st.session_state[widget]
    if value is not None:
        ask(name, str(value))
