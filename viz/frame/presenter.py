"""Presenter mode: larger type and fewer controls for a room of people, and the keys that help."""

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from texts import say
from viz.frame import words
from viz.frame.wire import WirePager
from viz.pictures import tokens
from viz.pictures.component import picture
from viz.run import address
from viz.run.link import go_to

_PRESENTER = "presenter"

_pager = picture("pager", "frame/browser/pager.js")


def choose_presenter() -> None:
    """Offer larger type and fewer controls, for a room of people, and the list of keys."""
    with st.container(horizontal=True, key="frame_controls", vertical_alignment="center"):
        st.toggle(say("frame.presenter"), key=address.bound(_PRESENTER, usual=False))
        if st.button(say("frame.keys_button"), key="keys", help=say("frame.keys_help")):
            _show_keys()


def is_presenting() -> bool:
    """Return whether presenter mode is on, before its switch is drawn: a link may ask for it."""
    return bool(st.session_state[address.bound(_PRESENTER, usual=False)])


class PresenterTools(NamedTuple):
    """Places in the row that presenter mode has above a page."""

    slides: DeltaGenerator
    pager: DeltaGenerator


def leave_presenter() -> PresenterTools:
    """Offer the way back from presenter mode, which hides the sidebar and its switch."""
    with st.container(key="presenter_tools", horizontal=True, vertical_alignment="center"):
        places = PresenterTools(st.empty(), st.empty())
        st.button(say("frame.leave_presenter"), key="leave_presenter", on_click=_stop_presenting)
    return places


def show_pager(place: DeltaGenerator, pages: Mapping[str, str], current: str) -> None:
    """Show the way to the page before and after, by titles and URLs; PageUp and PageDown too."""
    data: WirePager = {"pages": list(pages.items()), "current": current}
    with place:
        _pager(key="pager", data=data, on_turn_change=_turn)


def _turn() -> None:
    go_to(st.session_state["pager"]["turn"])


@st.dialog(say("frame.keys_title"))
def _show_keys() -> None:
    st.html(tokens.key_list(words.keys()))


def _stop_presenting() -> None:
    st.session_state[_PRESENTER] = False
