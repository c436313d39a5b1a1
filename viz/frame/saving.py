"""Files to save from every page: the view as one file, and the files that only Python can write.

A file goes to the browser that asked for it, over the websocket of its own session, so it has no
address that another session could open. The browser makes pictures and their numbers itself.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import streamlit as st

from texts import say
from viz.frame.python import again_lines
from viz.frame.wire import WireSaving
from viz.models import stamps
from viz.pictures.component import picture
from viz.run.axes import all_heads
from viz.run.provenance import Provenance, dated, provenance
from viz.run.tensors import bytes_of, npz_file, safetensors_file
from viz.run.view import View

MOST_SENT = 150_000_000
"""Most bytes of a file: Streamlit sends messages of up to 200 MB."""
LONGEST_LINK = 20_000
_SAVING = "saving"
_ASKED = "saving_asked"

_saving = picture("saving", "frame/browser/saving.js", sends={"ask": Any})

Said = Mapping[str, object]
"""The provenance of a file; see `viz.run.provenance`."""


class Offline(NamedTuple):
    """Writes a view as a page that works without a server."""

    estimate: Callable[[View], int | None]
    """Its approximate size in bytes; None if it would be too large."""
    write: Callable[[View, Said], bytes]


def provenance_of(view: View) -> Provenance:
    """Return the provenance of the run in view."""
    return provenance(
        view,
        sha256=stamps.weights_hash(view.stamp),
        again=again_lines(view),
    )


@st.fragment
def offer_saving(view: View, offline: Offline) -> None:
    """Offer the view as files. As a fragment, saving does not redraw the page."""
    asked: Mapping[str, Any] = st.session_state.pop(_ASKED, None) or {}
    said = provenance_of(view)
    meta: WireSaving = {
        "provenance": dict(said),
        "offline": offline.estimate(view),
        "number": int(asked.get("number", 0)),
        "failed": "",
    }
    data: dict[str, Any] = {"meta": meta}
    if asked:
        try:
            contents = _made(view, offline, asked, said)
            data["file"] = pa.table({"byte": np.frombuffer(contents, dtype=np.uint8)})
        except ValueError as error:
            meta["failed"] = str(error)
    _saving(key=_SAVING, data=data, on_ask_change=_take)


def _take() -> None:
    asked = st.session_state[_SAVING]["ask"]
    st.session_state[_ASKED] = asked if isinstance(asked, dict) else None


def _made(view: View, offline: Offline, asked: Mapping[str, Any], said: Provenance) -> bytes:
    """Make the requested file. Raises ValueError if it would be too large, or is unknown."""
    run = view.run
    told: Said = {**dated(said), **_told(asked)}
    makers: dict[str, Callable[[], bytes]] = {
        "npz": partial(npz_file, run, told),
        "safetensors": partial(safetensors_file, run, told),
        "weights": partial(_weights, view, str(asked.get("kind"))),
        "html": partial(offline.write, view, told),
    }
    what = str(asked.get("what"))
    if what not in makers:
        raise ValueError(say("saving.nothing"))
    if what in ("npz", "safetensors") and bytes_of(run) > MOST_SENT:
        raise ValueError(say("saving.too_large", size=bytes_of(run) / 1e6, most=MOST_SENT / 1e6))
    return makers[what]()


def _told(asked: Mapping[str, Any]) -> dict[str, object]:
    """Return what only the browser knows: the address of the view, and the selection in it."""
    link, selection = asked.get("link"), asked.get("selection")
    told: dict[str, object] = {}
    if isinstance(link, str) and link.startswith("http") and len(link) <= LONGEST_LINK:
        told["link"] = link
    if isinstance(selection, dict):
        plain = {k: v for k, v in selection.items() if isinstance(v, int | str)}
        told["selection"] = {k: v for k, v in plain.items() if len(str(v)) < 100}
    return told


def _weights(view: View, kind: str) -> bytes:
    """Return the unreduced weights of all heads of a kind, float32: layer, head, query, key."""
    for known in view.run.anatomy.names:
        if known == kind:
            return np.ascontiguousarray(all_heads(view.run, known), dtype="<f4").tobytes()
    raise ValueError(say("saving.nothing"))
