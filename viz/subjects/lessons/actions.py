"""What is done on the page of the lessons: one is begun, the exam is taken, a file is brought."""

from pathlib import PurePath

import streamlit as st

from model.text.normalised import printable
from texts import say
from viz.frame.lesson import catalogue
from viz.frame.lesson.navigation import go
from viz.frame.lesson.progress import EXAM, Standing, forget, forget_all, new_exam
from viz.lessons.exam import ExamRow, draw_exam
from viz.lessons.faults import Fault, LessonError
from viz.lessons.lesson import Lesson
from viz.lessons.reading import MOST_BYTES, read_lesson
from viz.lessons.shipped_lessons import EXAM_CHECKPOINT
from viz.lessons.validation import check_lesson
from viz.run import session
from viz.run.address import put, said
from viz.run.result_cache import cached
from viz.subjects.lessons.packing import NOT_GIVEN, ExamGiven
from viz.subjects.lessons.pictures import EXAM as EXAM_PICTURE
from viz.subjects.lessons.pictures import FILE, LIST

_GIVEN = "exam_given"
_BROUGHT = "lesson_brought"
_LONGEST_NAME = 200
_LONGEST = 8


def open_lesson() -> None:
    """Go where the list was clicked."""
    match st.session_state[LIST]["open"]:
        case {"lesson": str(name), "part": int(part), **more}:
            if more.get("again"):
                forget(Standing(name, part))
            if more.get("whole"):
                forget_all(name)
            go(Standing(name, part))
        case {"exam": True}:
            begin_exam()


def begin_exam() -> None:
    """Draw ten rows anew; a lesson that went on is left for them."""
    go(None)
    st.session_state.pop(_GIVEN, None)
    put(EXAM, new_exam())


def exam_seed() -> int | None:
    """Return what the link draws the rows by; None where it asks for no exam."""
    text = said(EXAM) or ""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 4 else None


def exam_rows(seed: int) -> tuple[ExamRow, ...]:
    """Draw the rows, once for all sessions."""
    return _rows(session.stamp(EXAM_CHECKPOINT), EXAM_CHECKPOINT, seed)


@cached
def _rows(_stamp: session.Stamp, name: str, seed: int) -> tuple[ExamRow, ...]:
    with st.spinner(say("lesson.reading")):
        return draw_exam(catalogue.SharedRuns(), name, seed)


def exam_given(seed: int) -> ExamGiven:
    """Return what was answered, all of it, in this session; nothing before the end."""
    known_seed, given = st.session_state.get(_GIVEN, (None, NOT_GIVEN))
    return given if known_seed == seed else NOT_GIVEN


def take_exam() -> None:
    """Take the answers to all rows, or leave the exam."""
    match st.session_state[EXAM_PICTURE]["act"]:
        case {"do": "done", "seed": int(seed), "guesses": [*guesses], "helped": [*helped]}:
            given = tuple(str(one)[:_LONGEST] for one in guesses)
            if seed == exam_seed() and len(given) == len(exam_rows(seed)):
                after_hint = frozenset(row for row in range(len(given)) if row in helped)
                st.session_state[_GIVEN] = seed, ExamGiven(given, after_hint)
        case {"do": "again"}:
            begin_exam()
        case {"do": "leave"}:
            put(EXAM, None)


def take_file() -> None:
    """Take a lesson that a person brought."""
    match st.session_state[FILE]["file"]:
        case {"name": str(name), "text": str(text)} if len(text) <= MOST_BYTES:
            st.session_state[_BROUGHT] = bring(name[:_LONGEST_NAME], printable(text).encode())


def brought() -> Lesson | tuple[Fault, ...] | None:
    """Return the lesson that was brought last, or what is wrong with it."""
    return st.session_state.get(_BROUGHT)


def bring(name: str, content: bytes) -> Lesson | tuple[Fault, ...]:
    """Read and check a lesson that a person brought, and keep it for this session."""
    stem = "".join(c for c in PurePath(name).stem.lower() if c.isalnum() or c == "-")[:40]
    try:
        lesson = read_lesson(content, f"{catalogue.OWN_PREFIX}{stem or 'lesson'}")
        faults = check_lesson(lesson, catalogue.SharedRuns())
    except LessonError as error:
        return error.faults
    if faults:
        return faults
    catalogue.own()[lesson.id] = lesson
    return lesson


def begin_own(name: str) -> None:
    """Begin a lesson that was brought."""
    go(Standing(name, 1))
