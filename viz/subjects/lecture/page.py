"""The Lecture page: views saved as slides, in an order, to show to a class."""

import streamlit as st

from texts import language, say
from viz.address.address import page_part
from viz.address.link import follow_selection
from viz.pictures import tokens
from viz.pictures.component import picture
from viz.run.view import View
from viz.subjects.lecture.shipped_decks import shipped_decks
from viz.subjects.lecture.wire import WireLecture

URL = "lecture"

_lecture = picture("lecture", "subjects/lecture/browser/lecture.js")


@page_part
def render(view: View) -> None:
    """Show the slides that this browser keeps."""
    follow_selection(view.run, view.parcel.key, URL)
    st.html(tokens.question(say("lecture.question"), say("lecture.answer")))
    data: WireLecture = {"shipped": shipped_decks(language())}
    _lecture(key="lecture", data=data)
