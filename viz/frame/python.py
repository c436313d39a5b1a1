"""A page as Python: lines to copy that compute the same results outside the app."""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from model.foreign.hub.cache import origin_of
from texts import say
from viz.address.link import current_selection
from viz.address.selection import Selection
from viz.models.guest_models import held
from viz.pictures import tokens
from viz.run.as_python import as_imported, held_lines, run_lines
from viz.run.view import View

_SHIPPED = Path(__file__).parents[2] / "sample_data" / "checkpoints"

Cards = Callable[[View, Selection], Mapping[str, str]]
"""Returns the lines that follow those of the run, by the heading of each card of a page."""


def offer_python(view: View, cards: Cards | None) -> None:
    """Offer the lines that compute the run in view and each card of the page."""
    if st.button(say("frame.as_python"), key="as_python", help=say("frame.as_python_help")):
        _show(view, cards)


@st.dialog(say("frame.as_python_title"), width="large")
def _show(view: View, cards: Cards | None) -> None:
    if held(view.inputs.checkpoint):
        st.html(tokens.note(say("frame.as_python_held")))
        st.code(held_lines(view), language="python")
        return
    st.html(tokens.note(say("frame.as_python_note")))
    first = run_lines(view, checkpoint_path(view))
    st.code(as_imported(first), language="python")
    found = cards(view, current_selection(view.run)) if cards else {}
    for heading, lines in found.items():
        st.html(tokens.heading(heading))
        st.code(as_imported(lines), language="python")


def again_lines(view: View) -> str:
    """Write the lines that make the run in view again, for a file that others may read.

    They name no folder of this machine outside the project.
    """
    if held(view.inputs.checkpoint):
        return held_lines(view)
    path = Path(checkpoint_path(view))
    is_named = not path.is_absolute() or origin_of(path) is not None
    return as_imported(run_lines(view, path.as_posix() if is_named else path.name))


def checkpoint_path(view: View) -> str:
    """Return the path of the checkpoint in view, or its name if it comes with Loupe."""
    path = Path(view.stamp.path)
    return path.name if path.parent == _SHIPPED else str(path)
