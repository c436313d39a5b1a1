"""The pictures of what mattered: the map of all cuts, and the grids of patched cells."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from viz.pictures.component import picture
from viz.subjects.mattered.wire import WireCuts

PATCHING = "mattered_patching"
"""Key of the grids of patched cells."""

_cuts = picture("mattered_cuts", "subjects/mattered/browser/cuts.js")
_patching = picture("mattered_patching", "subjects/mattered/browser/patching.js")


def show_cuts(data: WireCuts, *, key: str, on_keep: Callable[[], None] | None = None) -> None:
    """Show every part with what is lost without it; a click puts one in view."""
    _cuts(key=key, data=data, on_keep_change=on_keep or (lambda: None))


def kept_cut(key: str) -> int | None:
    """Give the number of the cut that a click asked to keep."""
    told: dict[str, Any] = st.session_state.get(key, {})
    number = told.get("keep")
    return number if isinstance(number, int) else None


def show_patching(parcel: dict[str, Any], *, on_keep: Callable[[], None]) -> None:
    """Show how much of the answer each patched cell brings back; one can be put into the run."""
    _patching(key=PATCHING, data=parcel, on_keep_change=on_keep)
