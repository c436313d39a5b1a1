"""Choices that the link keeps by their names, whatever the language of the reader calls them.

Streamlit's own binding to the address writes there what a reader sees. Links that have such a text,
in any language, are understood as well.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from texts import LANGUAGES, speaking

Name = TypeVar("Name", bound=str)


def choose_one(
    label: str,
    names: Sequence[Name],
    says: Callable[[Name], str],
    *,
    key: str,
    first: Name | None = None,
    on_change: Callable[[], None] | None = None,
    is_named: bool = True,
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
    """
    usual = [first or names[0]]
    _take(key, names, says, usual, is_one=True)
    chosen: Name | None = st.segmented_control(
        label,
        names,
        required=True,
        format_func=says,
        key=key,
        persist_state="session",
        on_change=on_change,
        label_visibility="visible" if is_named else "collapsed",
    )
    found = chosen or usual[0]  # there is always one
    _keep(key, [found], usual)
    return found


def choose_some(
    label: str, names: Sequence[Name], says: Callable[[Name], str], *, key: str
) -> list[Name]:
    """Let some of the names be chosen, all of them to begin with; as `choose_one`."""
    _take(key, names, says, [*names], is_one=False)
    chosen = st.pills(
        label,
        names,
        selection_mode="multi",
        format_func=says,
        key=key,
        persist_state="session",
    )
    _keep(key, chosen, [*names])
    return chosen


def _take(
    key: str, names: Sequence[Name], says: Callable[[Name], str], usual: list[Name], *, is_one: bool
) -> None:
    """Choose what the link says, where it says something new or nothing was chosen yet."""
    asked = st.query_params.get_all(key)
    known = [name for name in names if _is_among(asked, name, says)]
    is_new = bool(asked) and asked != st.session_state.get(_of_link(key))
    if not (is_new or key not in st.session_state):
        now = st.session_state[key]
        if all(name in names for name in ([now] if is_one else now)):
            return
        known = []
    wanted = known if known or (asked == [""] and not is_one) else usual
    st.session_state[key] = wanted[0] if is_one else wanted


def _is_among(asked: Sequence[str], name: Name, says: Callable[[Name], str]) -> bool:
    if not asked or name in asked:
        return bool(asked)
    for each in LANGUAGES:
        with speaking(each):
            if says(name) in asked:
                return True
    return False


def _keep(key: str, chosen: Sequence[str], usual: Sequence[str]) -> None:
    """Write what is chosen into the link; nothing where it is the usual."""
    if [*chosen] == [*usual]:
        st.query_params.pop(key, None)
    elif st.query_params.get_all(key) != (wanted := [*chosen] or [""]):
        st.query_params[key] = wanted
    st.session_state[_of_link(key)] = st.query_params.get_all(key)


def _of_link(key: str) -> str:
    return f"{key}_of_link"
