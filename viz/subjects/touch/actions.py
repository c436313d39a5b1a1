"""Adds the changes made by hand to those of the run, and chooses the first row of the page."""

import streamlit as st

from viz.address import address, history, link
from viz.run.view import View
from viz.subjects.touch.change_requests import read_asked
from viz.subjects.touch.pictures import HAND
from viz.subjects.touch.pulls import Pull

_NUMBER = "touch_number"
_WRONG = "touch_wrong"
_BEGUN = "touch_begun"
"""The run without changes for which the page has chosen its first row."""


def begin(before: View, pull: Pull | None) -> None:
    """Begin with the line that is worth pulling, unless a link names another one."""
    if st.session_state.get(_BEGUN) == before.parcel.key:
        return
    st.session_state[_BEGUN] = before.parcel.key
    if link.asks_for("kind"):
        return
    wanted = {"kind": before.run.anatomy.names[-1]}
    if pull is not None:
        wanted |= {"query": str(pull.row), "key": str(pull.to)}
    address.open_link(wanted)


def take_change(view: View) -> None:
    """Add the reader's change to the changes of the run, before the page is drawn."""
    made = st.session_state[HAND]["change"]
    st.session_state[_NUMBER] = made["number"]
    if made["do"] == "undo":
        history.undo()
        return
    try:
        asked = read_asked(made["interventions"], view.run.info.config)
    except ValueError as error:
        st.session_state[_WRONG] = str(error)
        return
    history.add(asked, view.inputs)


def last_number() -> int:
    """Return the number of the last change that the browser reported."""
    return st.session_state.get(_NUMBER, 0)


def take_wrong() -> str | None:
    """Return the error of the last change, once."""
    return st.session_state.pop(_WRONG, None)
