"""The lecture on every page: a view becomes a slide, and slides are shown one after the other.

The deck itself is in the browser; nothing of it stays here.
"""

from collections.abc import Mapping

import streamlit as st

from viz.frame.code import draw_code
from viz.frame.link_inputs import inputs_of_link
from viz.frame.network_reach import reach
from viz.frame.titles import checkpoint_titles
from viz.frame.wire import WireCode, WireDeck, WireSlides
from viz.models import listing, running
from viz.pictures.component import picture
from viz.pictures.served import base_path
from viz.run.inputs import Inputs

_pin = picture("pin", "frame/browser/deck_pin.js")
_slides = picture("slides", "frame/browser/deck_show.js", sends={"ahead": str, "code": str})

_SHOW = "slides"
_CODE = "slides_code"
_LONGEST = 10_000
"""Characters of what a browser asks for."""


def deck_data(pages: Mapping[str, str], first: str, inputs: Inputs) -> WireDeck:
    """Pack what turns a view into a slide: pages by URL and title, the run in view."""
    texts = {"checkpoint": inputs.checkpoint, "source": inputs.source, "target": inputs.target}
    return {
        "pages": list(pages.items()),
        "models": checkpoint_titles(listing.listed_names()),
        "first": first,
        "base": base_path(),
        "inputs": texts,
    }


def offer_slide(deck: WireDeck) -> None:
    """Let the view be kept as a slide."""
    _pin(key="pin_slide", data=deck)


@st.fragment
def show_slides(deck: WireDeck) -> None:
    """Show the lecture, if one is on; else offer the code of the view alone."""
    code: WireCode | None = st.session_state.get(_CODE)
    data: WireSlides = {**deck, "reach": reach(), "code": code}
    _slides(key=_SHOW, data=data, on_ahead_change=_read_ahead, on_code_change=_draw_code)


def _draw_code() -> None:
    asked = st.session_state[_SHOW]["code"]
    if isinstance(asked, str) and len(asked) <= _LONGEST:
        st.session_state[_CODE] = draw_code(asked)


def _read_ahead() -> None:
    """Run what the next slide shows while this one stands; what cannot be run is left."""
    asked = st.session_state[_SHOW]["ahead"]
    if not isinstance(asked, str) or len(asked) > _LONGEST:
        return
    if inputs := inputs_of_link(asked, listing.listed_names()):
        try:
            running.open_view(inputs)
        except ValueError:
            return
