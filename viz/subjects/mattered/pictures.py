"""The pictures of What mattered: the map of all cuts, and the grids of patched cells."""

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from viz.pictures.component import picture
from viz.subjects.mattered.wire import WireCuts

PATCHING = "mattered_patching"
"""The key of the grids of patched cells."""

_SENT = {"keep": int, "choose": int}
_cuts = picture("mattered_cuts", "subjects/mattered/browser/cuts.js", sends=_SENT)
_patching = picture("mattered_patching", "subjects/mattered/browser/patching.js", sends=_SENT)


def show_cuts(data: WireCuts, *, key: str, **calls: Callable[[], None]) -> None:
    """Show every part with the loss without it; a click puts one in view.

    It calls `on_keep_change` if a cut is to be kept, and `on_choose_change` if a cut of another
    head than the selected one is put in view.
    """
    _cuts(key=key, data=data, **calls)


def asked_cut(key: str, event: Literal["keep", "choose"], count: int) -> int | None:
    """Return the index of the cut that a click asked for, if it is in range."""
    number = st.session_state[key][event]
    return number if isinstance(number, int) and 0 <= number < count else None


def show_patching(parcel: dict[str, Any], **calls: Callable[[], None]) -> None:
    """Show the share of the answer that each patched cell restores.

    It calls `on_keep_change` if a cell is to be put into the run.
    """
    _patching(key=PATCHING, data=parcel, **calls)
