"""Choices that the link keeps by name, independently of the language of the reader."""

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
    """Let the reader choose one of several names.

    Args:
        label: The label of the field.
        names: The names in the link.
        says: Returns the words for a name.
        key: The key of the field, and the parameter of the link.
        first: The name that is chosen at first; by default the first one.
        on_change: Called after another name was chosen.
        is_named: Whether the label is visible.
        disabled: Whether the field is disabled.
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
    assert chosen is not None  # the control requires one
    return chosen


def _changed(key: str, on_change: Callable[[], None]) -> None:
    """Call back if a name is chosen: a browser may send none for a field that is drawn again."""
    if st.session_state[key] is not None:
        on_change()
