"""Parts of a page that open by a click on their heading; the link keeps which are open."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import streamlit as st

from viz.address.address import RETURNS, bound, is_unread, open_link, said
from viz.pictures import tokens


class Part(NamedTuple):
    """A part of a page behind a heading."""

    heading: str
    """Describes the content of the part."""
    show: Callable[[], None]
    """Draws the part; called only while it is open."""
    key: str
    """Its name in the link, `more_KEY=true`."""


def fold(
    heading: str,
    show: Callable[[], None],
    *,
    key: str,
    opened: bool = False,
    asked_by: Iterable[str] = (),
    closes: Sequence[str] = (),
) -> None:
    """Put a part of a page behind a heading that describes it.

    Streamlit shows a part that a person has just opened until its heading changes or another state
    is drawn. If the browser goes back at once, Python may never hear that the part was opened, and
    draws the same state again. So each way back or forward adds a space to the heading.

    Args:
        heading: Describes the content of the part.
        show: Draws the part; called only while it is open.
        key: Its name in the link, `more_KEY=true`.
        opened: Whether it is open if the link does not mention it.
        asked_by: Parameters of a link that open it, because they ask for something in it.
        closes: Keys of the parts that close when this one opens.
    """
    _open_if_asked(key, asked_by)
    name = bound(_name(key), opened)
    st.session_state[name] = st.session_state[name]  # in another language it is a new field
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
    """Put parts behind headings, of which at most one is open: at first, the first one.

    Args:
        parts: The parts, in their order on the page.
        named: Key of a part that a link asks for by another parameter.
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
    """Open a part; call this before it is drawn."""
    open_link({_name(key): "true"})


def is_open(key: str, asked_by: Iterable[str] = ()) -> bool:
    """Return whether this session or the link has opened a part."""
    _open_if_asked(key, asked_by)
    return bool(st.session_state[bound(_name(key), usual=False)])


def _open_if_asked(key: str, asked_by: Iterable[str]) -> None:
    """Open a part if a link asks for something in it without mentioning the part itself."""
    if not is_known(key) and any(said(name) is not None for name in asked_by):
        open_fold(key)


def is_known(key: str) -> bool:
    """Return whether this session or the link decides if a part is open."""
    is_drawn = _name(key) in st.session_state and not is_unread(_name(key))
    return is_drawn or said(_name(key)) is not None


def _close(key: str, others: Sequence[str]) -> None:
    """Close the other parts when a part was opened."""
    if st.session_state[_name(key)]:
        for other in others:
            st.session_state[_name(other)] = False


def _name(key: str) -> str:
    return f"more_{key}"
