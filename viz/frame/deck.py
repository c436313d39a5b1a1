"""The lecture on every page: a view becomes a slide, and slides are shown one after the other.

The deck itself is in the browser; nothing of it stays here.
"""

from collections.abc import Mapping
from urllib.parse import parse_qsl

import streamlit as st

from model.intervention import Intervention
from viz.frame.bar import LONGEST_TYPED
from viz.frame.code import draw_code
from viz.frame.controls import default_source
from viz.frame.reach import reach
from viz.frame.titles import checkpoint_titles
from viz.frame.wire import WireCode, WireDeck, WireSlides
from viz.pictures.component import picture
from viz.pictures.served import base_path
from viz.run import session
from viz.run.changes import Change, read_changes
from viz.run.view import Inputs

_pin = picture("pin", "frame/browser/deck_pin.js")
_slides = picture("slides", "frame/browser/deck_show.js")

_SHOW = "slides"
_CODE = "slides_code"
_LONGEST = 10_000
"""Characters of what a browser asks for."""


def deck_data(pages: Mapping[str, str], first: str, inputs: Inputs) -> WireDeck:
    """Pack what turns a view into a slide: pages by URL and title, the run in view."""
    texts = {"checkpoint": inputs.checkpoint, "source": inputs.source, "target": inputs.target}
    return {
        "pages": list(pages.items()),
        "models": checkpoint_titles(session.listed_names()),
        "first": first,
        "base": base_path(),
        "inputs": texts,
    }


def offer_slide(deck: WireDeck) -> None:
    """Let the view be kept as a slide."""
    _pin(key="pin_slide", data=deck)


@st.fragment
def show_slides(deck: WireDeck) -> None:
    """Give the lecture, if one is on; else offer the code of the view alone."""
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
    if isinstance(asked, str) and len(asked) <= _LONGEST and (inputs := inputs_of_link(asked)):
        try:
            session.open_view(inputs)
        except ValueError:
            return


def inputs_of_link(link: str) -> Inputs | None:
    """Read what a slide's link runs; None where it cannot be run."""
    query = dict(parse_qsl(link.partition("?")[2]))
    names = session.listed_names()
    name = query.get("checkpoint", names[0] if names else "")
    if name not in names:
        return None
    try:
        info = session.read_info(name)
        source, target = query.get("source") or default_source(info), query.get("target", "")
        if max(len(source), len(target)) > LONGEST_TYPED:
            return None
        changes = read_changes(query.get("edits", ""), name, source, target)
    except ValueError:
        return None
    device = query.get("device", "cpu")
    known = device if device in session.devices() else "cpu"
    return Inputs(name, source, target, known, _in_force(changes, (name, source, target)))


def _in_force(changes: tuple[Change, ...], named: tuple[str, str, str]) -> tuple[Intervention, ...]:
    return tuple(c.intervention for c in changes if c.is_on and c.applies(*named))
