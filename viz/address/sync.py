"""Keeps the selection in the browser in step with the one in Python."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from viz.address.selection import FIELDS
from viz.pictures.arrivals import fits
from viz.pictures.component import picture
from viz.run.wire import WireChosen

SYNC = "selection_sync"
"""Key of the component, which draws nothing."""
_SENT: dict[str, Any] = {"go": WireChosen, "commit": WireChosen}
"""The shape of a choice by its event; `go` also asks for another page."""
_sync = picture("selection", "pictures/browser/selection.js", sends=_SENT)


class Choice(NamedTuple):
    """A choice made in the browser."""

    values: dict[str, Any]
    """The selected values by name, with `tensor` if one was opened."""
    number: int
    """Number of the choice in its browser tab: an older choice must not undo a newer one."""
    page: str | None
    """URL path of the page to open, if it is a different one."""
    run: str | None
    """Key of the run in view at the choice."""
    adrift: bool
    """Whether the choice changed only the kind of attention, without choosing a cell of it."""


def sync_selection(
    values: dict[str, Any],
    *,
    run: str,
    number: int,
    page: str,
    on_choice: Callable[[], None],
) -> None:
    """Send the selection, its run and its page to the browser.

    `on_choice` is called when the reader selects in the browser.
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
    """Return the choice for which a callback was called; None if it is incomplete."""
    state: Mapping[str, Any] = st.session_state.get(SYNC) or {}
    found = (state.get(event) for event in _SENT)
    made: Any = next((one for one in found if fits(one, WireChosen)), None)
    if made is None:
        return None
    values = {name: value for name, value in made.items() if name in (*FIELDS, "tensor")}
    adrift = made.get("adrift", False)
    return Choice(values, made["number"], made.get("page"), made.get("run"), adrift)
