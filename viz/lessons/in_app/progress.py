"""The current step of a lesson, in the link and the session, and the answers of the session."""

from typing import NamedTuple

import streamlit as st

from viz.address.address import put, said

LESSON, PART = "lesson", "part"
"""Parameters of the link."""

_STANDING = "lesson_standing"
_GIVEN = "lesson_given"
_HINTS = "lesson_hints"
_LOOKS = "lesson_looks"
_LONGEST = 80


class Standing(NamedTuple):
    """The place of a step."""

    lesson: str
    """The id of the lesson."""
    part: int
    """The number of the step, from 1."""


class Given(NamedTuple):
    """An answer."""

    guess: str
    hints: int
    """How many hints were shown before the answer."""


def standing() -> Standing | None:
    """Return the current step of this session; None outside a lesson."""
    return st.session_state.get(_STANDING)


def asked_by_link() -> Standing | None:
    """Return the step that the link names; None if it names none, or the current one."""
    name, part = said(LESSON) or "", said(PART) or "1"
    if not name or len(name) > _LONGEST:
        return None
    number = int(part) if part.isdecimal() and part.isascii() and len(part) < 4 else 1
    asked = Standing(name, max(1, number))
    return None if asked == standing() else asked


def stand(at: Standing | None) -> None:
    """Keep the current step, in the session and in every link."""
    st.session_state[_STANDING] = at
    put(LESSON, at and at.lesson)
    put(PART, at and str(at.part))


def given(at: Standing) -> Given | None:
    """Return the answer to a step in this session; None before it."""
    return st.session_state.get(_GIVEN, {}).get(at)


def give(at: Standing, answer: Given) -> None:
    """Keep the answer to a step."""
    st.session_state.setdefault(_GIVEN, {})[at] = answer


def forget(at: Standing) -> None:
    """Forget the answer and the hints of a step, so that it asks again."""
    st.session_state.get(_GIVEN, {}).pop(at, None)
    st.session_state.get(_HINTS, {}).pop(at, None)


def forget_all(lesson: str) -> None:
    """Forget the answers and hints of all steps of a lesson."""
    for at in [at for at in st.session_state.get(_GIVEN, {}) if at.lesson == lesson]:
        forget(at)


def look_around(at: Standing) -> None:
    """Show the whole page behind an answered step."""
    st.session_state[_LOOKS] = at


def looks_around(at: Standing) -> bool:
    """Return whether the whole page is shown behind a step."""
    return st.session_state.get(_LOOKS) == at


def hints(at: Standing) -> int:
    """Count the hints shown at a step."""
    return st.session_state.get(_HINTS, {}).get(at, 0)


def show_hint(at: Standing) -> None:
    """Show one more hint."""
    st.session_state.setdefault(_HINTS, {})[at] = hints(at) + 1
