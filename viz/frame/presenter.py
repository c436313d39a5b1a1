"""Presenter mode, with larger type and fewer controls for an audience, and the list of keys."""

from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from texts import say
from viz.address import address
from viz.address.link import go_to
from viz.frame import words
from viz.frame.presenting import PRESENTER
from viz.pictures import tokens


def choose_presenter() -> DeltaGenerator:
    """Offer presenter mode and the lecture; return a place beside their buttons."""
    with st.container(horizontal=True, key="frame_controls", vertical_alignment="center"):
        place = st.container(key="view_files", width="content")
        st.button(say("page.lecture"), key="open_lecture", on_click=go_to, args=("lecture",))
        st.toggle(say("frame.presenter"), key=address.bound(PRESENTER, usual=False))
    return place


def offer_keys() -> None:
    """Offer the list of keys."""
    if st.button(say("frame.keys_button"), key="keys", help=say("frame.keys_help")):
        _show_keys()


class PresenterTools(NamedTuple):
    """Places in the row above a page in presenter mode."""

    slides: DeltaGenerator
    pager: DeltaGenerator


def leave_presenter() -> PresenterTools:
    """Offer the way out of presenter mode, which hides the sidebar and its switch."""
    with st.container(key="presenter_tools", horizontal=True, vertical_alignment="center"):
        st.toggle(say("frame.presenter_more"), key="presenter_more")
        places = PresenterTools(st.empty(), st.empty())
        st.button(say("frame.leave_presenter"), key="leave_presenter", on_click=_stop_presenting)
    return places


@st.dialog(say("frame.keys_title"))
def _show_keys() -> None:
    st.html(tokens.key_list(words.keys()))


def _stop_presenting() -> None:
    st.session_state[PRESENTER] = False
