"""Where a person stands in which lesson, and what they answered: in the link and in the session."""

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
    """A step of a lesson."""

    lesson: str
    """Its id."""
    part: int
    """Its number, from 1."""


class Given(NamedTuple):
    """An answer."""

    guess: str
    hints: int
    """That were shown before it."""


def standing() -> Standing | None:
    """Return where this session stands; None where no lesson goes on."""
    return st.session_state.get(_STANDING)


def asked_by_link() -> Standing | None:
    """Return where the link leads to, where it says more than the session knows."""
    name, part = said(LESSON) or "", said(PART) or "1"
    if not name or len(name) > _LONGEST:
        return None
    number = int(part) if part.isdecimal() and part.isascii() and len(part) < 4 else 1
    asked = Standing(name, max(1, number))
    return None if asked == standing() else asked


def stand(at: Standing | None) -> None:
    """Keep where a person stands, for the session and for every link."""
    st.session_state[_STANDING] = at
    put(LESSON, at and at.lesson)
    put(PART, at and str(at.part))


def given(at: Standing) -> Given | None:
    """Return what was answered in this session."""
    return st.session_state.get(_GIVEN, {}).get(at)


def give(at: Standing, answer: Given) -> None:
    """Keep an answer."""
    st.session_state.setdefault(_GIVEN, {})[at] = answer


def forget(at: Standing) -> None:
    """Let a step be asked again."""
    st.session_state.get(_GIVEN, {}).pop(at, None)
    st.session_state.get(_HINTS, {}).pop(at, None)


def forget_all(lesson: str) -> None:
    """Let all steps of a lesson be asked again."""
    for at in [at for at in st.session_state.get(_GIVEN, {}) if at.lesson == lesson]:
        forget(at)


def look_around(at: Standing) -> None:
    """Show the whole page behind a step that was answered."""
    st.session_state[_LOOKS] = at


def looks_around(at: Standing) -> bool:
    """Return whether the whole page is shown behind a step."""
    return st.session_state.get(_LOOKS) == at


def hints(at: Standing) -> int:
    """Count the hints that were shown at a step."""
    return st.session_state.get(_HINTS, {}).get(at, 0)


def show_hint(at: Standing) -> None:
    """Show one hint more."""
    st.session_state.setdefault(_HINTS, {})[at] = hints(at) + 1
