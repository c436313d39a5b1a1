"""The note on a page that ignores the changes in force."""

import streamlit as st

from texts import say
from viz.pictures import tokens
from viz.run.view import View


def say_unchanged(view: View) -> None:
    """Show a note that a page ignores the changes in force, if there are any."""
    if view.inputs.interventions:
        st.html(tokens.note(say("frame.not_on_this_page")))
