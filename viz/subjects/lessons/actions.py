"""Actions of the Learn page: begin a lesson, upload a file."""

from pathlib import PurePath

import streamlit as st

from model.text.normalised import printable
from sample_data.one_text.tasks import TEXT_TASKS
from viz.address import link
from viz.lessons.faults import Fault, LessonError
from viz.lessons.in_app import catalogue
from viz.lessons.in_app.navigation import go
from viz.lessons.in_app.progress import Standing, forget, forget_all
from viz.lessons.lesson import Lesson
from viz.lessons.reading import MOST_BYTES, read_lesson
from viz.lessons.resolution import check_lesson

LIST, FILE = "lesson_list", "lesson_file"
"""The keys of the list, and of the field for a file."""
TWO_HEADS = "induction-two-heads"
"""The model in which two heads copy."""
_BROUGHT = "lesson_brought"
_LONGEST_NAME = 200


def open_lesson() -> None:
    """Go to the clicked lesson of the list."""
    match st.session_state[LIST]["open"]:
        case {"lesson": str(name), "part": int(part), **more}:
            if more.get("again"):
                forget(Standing(name, part))
            if more.get("whole"):
                forget_all(name)
            go(Standing(name, part))


def open_two_heads() -> None:
    """Leave any lesson, and go to the Two heads page with the model that has them."""
    go(None)
    source = TEXT_TASKS["induction"].examples[0]
    link.open_at("induction", {"checkpoint": TWO_HEADS, "source": source, "target": ""})


def take_file() -> None:
    """Take an uploaded lesson."""
    match st.session_state[FILE]["file"]:
        case {"name": str(name), "text": str(text)} if len(text) <= MOST_BYTES:
            st.session_state[_BROUGHT] = bring(name[:_LONGEST_NAME], printable(text).encode())


def brought() -> Lesson | tuple[Fault, ...] | None:
    """Return the last uploaded lesson, or its faults."""
    return st.session_state.get(_BROUGHT)


def bring(name: str, content: bytes) -> Lesson | tuple[Fault, ...]:
    """Read and check an uploaded lesson, and keep it for this session."""
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
    """Begin an uploaded lesson."""
    go(Standing(name, 1))
