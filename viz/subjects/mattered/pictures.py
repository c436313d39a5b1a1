"""The pictures of what mattered: the map of all cuts, and the grids of patched cells."""

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from viz.pictures.component import picture
from viz.subjects.mattered.wire import WireCuts

PATCHING = "mattered_patching"
"""Key of the grids of patched cells."""

_SENT = {"keep": int, "choose": int}
_cuts = picture("mattered_cuts", "subjects/mattered/browser/cuts.js", sends=_SENT)
_patching = picture("mattered_patching", "subjects/mattered/browser/patching.js", sends=_SENT)


def show_cuts(data: WireCuts, *, key: str, **calls: Callable[[], None]) -> None:
    """Show every part with what is lost without it; a click puts one in view.

    Calls back, as `on_keep_change`, where one is to be kept, and as `on_choose_change` where one is
    put in view that is of no other head than the selected one.
    """
    _cuts(key=key, data=data, **calls)


def asked_cut(key: str, event: Literal["keep", "choose"], count: int) -> int | None:
    """Return the number of the cut that a click asked for, of so many."""
    number = st.session_state[key][event]
    return number if isinstance(number, int) and 0 <= number < count else None


def show_patching(parcel: dict[str, Any], **calls: Callable[[], None]) -> None:
    """Show how much of the answer each patched cell brings back.

    Calls back, as `on_keep_change`, where one is to be put into the run.
    """
    _patching(key=PATCHING, data=parcel, **calls)
