"""Choices that the link keeps by their names, whatever the language of the reader calls them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import streamlit as st

from viz.address.address import bound

Name = TypeVar("Name")


def choose_one(
    label: str,
    names: Sequence[Name],
    says: Callable[[Name], str] = str,
    *,
    key: str,
    first: Name | None = None,
    on_change: Callable[[], None] | None = None,
    is_named: bool = True,
    disabled: bool = False,
) -> Name:
    """Let one of some names be chosen.

    Args:
        label: What is chosen.
        names: As the link has them.
        says: What the reader is shown of each.
        key: Of the field, and of the link.
        first: The name that is chosen to begin with; without it the first one.
        on_change: Called when another one was chosen.
        is_named: Whether the label is seen.
        disabled: Whether nothing can be chosen now.
    """
    usual = names[0] if first is None else first
    chosen: Name | None = st.segmented_control(
        label,
        names,
        required=True,
        format_func=says,
        key=bound(key, usual, names, says),
        on_change=on_change and partial(_changed, key, on_change),
        disabled=disabled,
        label_visibility="visible" if is_named else "collapsed",
    )
    assert chosen is not None  # one is required
    return chosen


def _changed(key: str, on_change: Callable[[], None]) -> None:
    """Call back once a choice is there: of a field that is drawn anew a browser may send none."""
    if st.session_state[key] is not None:
        on_change()
