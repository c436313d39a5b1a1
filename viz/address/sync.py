"""Keeps the selection in the browser in step with the one in Python."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from viz.address.selection import FIELDS
from viz.pictures.arrivals import fits
from viz.pictures.component import picture
from viz.run.wire import WireChosen

SYNC = "selection_sync"
"""Key of the component that draws nothing."""
_SENT: dict[str, Any] = {"go": WireChosen, "commit": WireChosen}
"""The shape of a choice, by the event that tells it; `go` also asks for another page."""
_sync = picture("selection", "pictures/browser/selection.js", sends=_SENT)


class Choice(NamedTuple):
    """What was chosen in the browser."""

    values: dict[str, Any]
    """The selection by names; with `tensor` where one was opened."""
    number: int
    """Counts the choices of this browser tab: an older one must not undo a newer one."""
    page: str | None
    """URL path of the page to open, if it is another one."""
    run: str | None
    """Key of the run in which it was chosen."""
    adrift: bool
    """Whether it is another kind of attention, but no cell of it was chosen."""


def sync_selection(
    values: dict[str, Any],
    *,
    run: str,
    number: int,
    page: str,
    on_choice: Callable[[], None],
) -> None:
    """Send the browser what is selected, in which run and on which page.

    Calls back on a choice.
    """
    _sync(
        key=SYNC,
        data={
            "selection": {"run": run, **values},
            "number": number,
            "page": page,
        },
        on_commit_change=on_choice,
        on_go_change=on_choice,
    )


def latest_choice() -> Choice | None:
    """Return the choice that a callback was called for; None without a whole one."""
    state: Mapping[str, Any] = st.session_state.get(SYNC) or {}
    found = (state.get(event) for event in _SENT)
    made: Any = next((one for one in found if fits(one, WireChosen)), None)
    if made is None:
        return None
    values = {name: value for name, value in made.items() if name in (*FIELDS, "tensor")}
    adrift = made.get("adrift", False)
    return Choice(values, made["number"], made.get("page"), made.get("run"), adrift)
