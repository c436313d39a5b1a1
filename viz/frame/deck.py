"""The lecture on every page: a view becomes a slide, and slides are shown in order.

The audience can open the same view on their own devices by a QR code. The deck itself is in the
browser; the server keeps nothing of it.
"""

import socket
from collections.abc import Mapping
from ipaddress import ip_address

import segno
import streamlit as st

from model.text.normalised import printable
from viz.frame.link_inputs import inputs_of_link
from viz.frame.titles import checkpoint_titles
from viz.frame.wire import WireCode, WireDeck, WireReach, WireSlides
from viz.models import listing, running
from viz.pictures.component import picture
from viz.pictures.served import base_path
from viz.run.inputs import Inputs
from viz.work.visit import is_local

_pin = picture("pin", "frame/browser/deck_pin.js")
_slides = picture("slides", "frame/browser/deck_show.js", sends={"ahead": str, "code": str})

_SHOW = "slides"
_CODE = "slides_code"
_LONGEST = 10_000
"""Most characters in a request of the browser."""
MOST_BYTES = 1_200
"""Most bytes in a code: a camera in a lecture hall cannot read the modules of a larger code."""
_ELSEWHERE = ("192.0.2.1", 9)
"""An address of no machine (RFC 5737): nothing is sent to it, the system only picks a route."""


def deck_data(pages: Mapping[str, str], first: str, inputs: Inputs) -> WireDeck:
    """Pack the pages by URL and title and the run in view, which a slide needs."""
    texts = {"checkpoint": inputs.checkpoint, "source": inputs.source, "target": inputs.target}
    return {
        "pages": list(pages.items()),
        "models": checkpoint_titles(listing.listed_names()),
        "first": first,
        "base": base_path(),
        "inputs": texts,
    }


def offer_slide(deck: WireDeck) -> None:
    """Let the reader keep the view as a slide."""
    _pin(key="pin_slide", data=deck)


@st.fragment
def show_slides(deck: WireDeck) -> None:
    """Show the lecture, if one is on; otherwise offer a code for the view."""
    code: WireCode | None = st.session_state.get(_CODE)
    data: WireSlides = {**deck, "reach": reach(), "code": code}
    _slides(key=_SHOW, data=data, on_ahead_change=_read_ahead, on_code_change=_draw_code)


def _draw_code() -> None:
    asked = st.session_state[_SHOW]["code"]
    if isinstance(asked, str) and len(asked) <= _LONGEST:
        st.session_state[_CODE] = draw_code(asked)


def _read_ahead() -> None:
    """Run the next slide in advance, while the present one is shown; ignore a run that fails."""
    asked = st.session_state[_SHOW]["ahead"]
    if not isinstance(asked, str) or len(asked) > _LONGEST:
        return
    if inputs := inputs_of_link(asked, listing.listed_names()):
        try:
            running.open_view(inputs)
        except ValueError:
            return


def reach() -> WireReach:
    """Return who can open the pages: only this machine, or others in its network too.

    This depends on the address on which the server listens.
    """
    address = str(st.get_option("server.address") or "")
    local = is_local(address)
    return {"local": local, "number": None if local else _network_address(address)}


def _network_address(address: str) -> str | None:
    """Return the IP address of this machine in its network."""
    try:
        if not ip_address(address).is_unspecified:
            return address
    except ValueError:
        if address:
            return address
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            number = probe.getsockname()[0]
    except OSError:
        return None
    return None if is_local(number) else number


def draw_code(text: str) -> WireCode:
    """Draw a text as a QR code of model 2 (ISO/IEC 18004), error correction L or better.

    A lone surrogate is drawn as U+FFFD. A text of more than MOST_BYTES has no picture: its size is
    0.
    """
    text = printable(text)
    if len(text.encode()) > MOST_BYTES:
        return {"text": text, "size": 0, "path": "", "most": MOST_BYTES}
    code = segno.make(text, micro=False, error="l", encoding="utf-8")
    rows = [bytes(row) for row in code.matrix]
    return {"text": text, "size": len(rows), "path": _rectangles(rows), "most": MOST_BYTES}


def _rectangles(rows: list[bytes]) -> str:
    """Return a path in which each run of dark modules is one rectangle, a module high."""
    parts: list[str] = []
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            end = x
            while end < len(row) and row[end]:
                end += 1
            if end > x:
                parts.append(f"M{x} {y}h{end - x}v1h-{end - x}z")
            x = end + 1
    return "".join(parts)
