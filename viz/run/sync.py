"""Keeps the selection in the browser in step with the one in Python."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from viz.pictures.component import picture
from viz.run.selection import FIELDS

SYNC = "selection_sync"
"""Key of the component that draws nothing."""
_sync = picture("selection", "pictures/browser/selection.js")


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


def latest_choice(key: str) -> Choice:
    """Return the choice that the callback of a component was called for."""
    state = st.session_state[key]
    made = state.get("go") or state["commit"]
    run, number, page, adrift = (made.get(name) for name in ("run", "number", "page", "adrift"))
    values = {name: value for name, value in made.items() if name in (*FIELDS, "tensor")}
    return Choice(values, int(number), page, run, bool(adrift))
