"""Keeps the selection in the browser in step with the one in Python."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from viz.components.browser import picture

SYNC = "selection_sync"
"""Key of the component that draws nothing."""
_sync = picture("selection")


class Choice(NamedTuple):
    """What was chosen in the browser."""

    values: dict[str, Any]
    """The selection by names; with `tensor` where one was opened."""
    number: int
    """Counts the choices of this browser tab: an older one must not undo a newer one."""
    page: str | None
    """URL path of the page to open, if it is another one."""


def sync_selection(
    values: dict[str, Any], *, run: str, number: int, page: str, on_choice: Callable[[], None]
) -> None:
    """Tell the browser what is selected, in which run and on which page; call back on a choice."""
    _sync(
        key=SYNC,
        data={"selection": {"run": run, **values}, "number": number, "page": page},
        on_commit_change=on_choice,
        on_go_change=on_choice,
    )


def latest_choice(key: str) -> Choice:
    """Give the choice that the callback of a component was called for."""
    state = st.session_state[key]
    made = state.get("go") or state["commit"]
    values = {name: value for name, value in made.items() if name not in ("run", "number", "page")}
    return Choice(values, int(made["number"]), made.get("page"))
