"""Parts of a page that open by a click on their heading; which are open stands in the link."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import streamlit as st

from viz.address.address import RETURNS, bound, is_unread, open_link, said
from viz.pictures import tokens


class Part(NamedTuple):
    """A part of a page, and the heading that it stands behind."""

    heading: str
    """What a person gets for the click, in words."""
    show: Callable[[], None]
    """Draws the part; called only while it is open."""
    key: str
    """Names it in the link, as `more_KEY=true`."""


def fold(
    heading: str,
    show: Callable[[], None],
    *,
    key: str,
    opened: bool = False,
    asked_by: Iterable[str] = (),
    closes: Sequence[str] = (),
) -> None:
    """Put a part of a page behind a heading that says what it holds.

    Streamlit shows a part that a person has just opened until its heading changes or another state
    is drawn. If the browser goes back at once, Python may never hear that the part is open, and
    draws the state that it drew before. So each way back or forward adds a space to the heading.

    Args:
        heading: What a person gets for the click, in words.
        show: Draws the part; called only while it is open.
        key: Names it in the link, as `more_KEY=true`.
        opened: Whether it is open where no link says otherwise.
        asked_by: Parameters of a link that ask for something in it, and so open it.
        closes: Keys of the parts that close when this one is opened.
    """
    _open_if_asked(key, asked_by)
    name = bound(_name(key), opened)
    st.session_state[name] = st.session_state[name]  # in another language it is another field
    place = st.expander(
        tokens.markdown(heading) + " " * st.session_state[RETURNS],
        key=name,
        on_change=_close,
        args=(key, tuple(closes)),
    )
    if place.open:
        with place:
            show()


def one_at_a_time(parts: Sequence[Part], *, named: str = "") -> None:
    """Put parts behind headings, of which at most one is open: to begin with, the first.

    Args:
        parts: In their order on the page.
        named: Key of the part that a link asks for in another way.
    """
    first, *others = (part.key for part in parts)
    if named in others and not is_known(named):
        open_fold(named)
    states = [bound(_name(key), key == first) for key in (*others, first)]
    for name in [name for name in states if st.session_state[name]][1:]:
        st.session_state[name] = False
    for part in parts:
        fold(
            part.heading,
            part.show,
            key=part.key,
            opened=part.key == first,
            closes=[key for key in (first, *others) if key != part.key],
        )


def open_fold(key: str) -> None:
    """Open a part, before it is drawn."""
    open_link({_name(key): "true"})


def is_open(key: str, asked_by: Iterable[str] = ()) -> bool:
    """Return whether this session or the link has opened a part."""
    _open_if_asked(key, asked_by)
    return bool(st.session_state[bound(_name(key), usual=False)])


def _open_if_asked(key: str, asked_by: Iterable[str]) -> None:
    """Open a part for a link that asks for something in it and does not say whether it is open."""
    if not is_known(key) and any(said(name) is not None for name in asked_by):
        open_fold(key)


def is_known(key: str) -> bool:
    """Return whether this session or the link says if a part is open."""
    is_drawn = _name(key) in st.session_state and not is_unread(_name(key))
    return is_drawn or said(_name(key)) is not None


def _close(key: str, others: Sequence[str]) -> None:
    """Close the others once a part was opened."""
    if st.session_state[_name(key)]:
        for other in others:
            st.session_state[_name(other)] = False


def _name(key: str) -> str:
    return f"more_{key}"
