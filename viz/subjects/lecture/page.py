"""Lecture: views kept as slides, in an order, to be shown to a room of people."""

import streamlit as st

from texts import language, say
from viz.pictures import tokens
from viz.run.address import page_part
from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.lecture.pictures import show_lecture
from viz.subjects.lecture.shipped_decks import shipped_decks

URL = "lecture"


@page_part
def render(view: View) -> None:
    """Show the slides that this browser keeps."""
    follow_selection(view.run, view.parcel.key, URL)
    st.html(tokens.question(say("lecture.question"), say("lecture.answer")))
    show_lecture({"shipped": shipped_decks(language())}, key="lecture")
