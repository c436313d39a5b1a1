"""What a page shows, as Python: lines to copy that compute the same outside of the app."""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from viz.frame import words
from viz.pictures import tokens
from viz.run import session
from viz.run.as_python import run_lines
from viz.run.link import current_selection
from viz.run.selection import Selection
from viz.run.view import View

_ROOT = Path(__file__).parents[2]

Cards = Callable[[View, Selection], Mapping[str, str]]
"""Gives the lines that follow those of the run, for each card of a page by its heading."""


def offer_python(view: View, cards: Cards | None) -> None:
    """Offer the lines that compute the run in view, and each card of the page."""
    if st.button(words.AS_PYTHON, key="as_python", help=words.AS_PYTHON_HELP):
        _show(view, cards)


@st.dialog(words.AS_PYTHON_TITLE, width="large")
def _show(view: View, cards: Cards | None) -> None:
    st.html(tokens.note(words.AS_PYTHON_NOTE))
    first = run_lines(view, checkpoint_path(view))
    st.code(first, language="python")
    found = cards(view, current_selection(view.run)) if cards else {}
    for heading, lines in found.items():
        st.html(tokens.heading(heading))
        st.code(lines, language="python")


def checkpoint_path(view: View) -> str:
    """Give where the checkpoint in view lies, from the project's folder where it is in there."""
    path = Path(session.stamp(view.inputs.checkpoint).path)
    inside = path.is_relative_to(_ROOT)
    return path.relative_to(_ROOT).as_posix() if inside else str(path)
