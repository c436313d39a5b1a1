"""The Learn page: the ten-minute path, all lessons, sheets to print, and your own lessons."""

from collections.abc import Iterable
from functools import partial

import streamlit as st

from texts import Language, language, say, speaking
from viz.address import link
from viz.frame.download import offer_file
from viz.frame.expander import fold
from viz.lessons.in_app import catalogue
from viz.lessons.in_app.progress import Standing, standing
from viz.lessons.lesson import Lesson
from viz.lessons.reading import MOST_BYTES, SHORT_PATH
from viz.models import listing
from viz.pictures import tokens
from viz.pictures.component import picture
from viz.run.view import View
from viz.subjects.lessons.actions import (
    FILE,
    LIST,
    TWO_HEADS,
    begin_own,
    brought,
    open_lesson,
    open_two_heads,
    take_file,
)
from viz.subjects.lessons.sheet import sheet
from viz.subjects.lessons.wire import WireBring, WireLessons, WireListed

URL = "learn"

_list = picture("lesson_list", "subjects/lessons/browser/learn.js", sends={"open": dict})
_file = picture("bring_lesson", "subjects/lessons/browser/bring.js", sends={"file": dict})


def render(view: View) -> None:
    """List the lessons."""
    link.follow_selection(view.run, view.parcel.key, URL)
    with st.container(key="learn_page", gap="medium"):
        st.html(tokens.question(say("learn.question"), say("learn.answer")))
        lessons = (*catalogue.shipped(), *catalogue.own().values())
        if view.inputs.checkpoint not in {lesson.checkpoint for lesson in lessons}:
            st.html(tokens.note(say("learn.own_models", model=view.run.info.name)))
        _list(key=LIST, data=pack_lessons(lessons, standing()), on_open_change=open_lesson)
        if TWO_HEADS in listing.listed_names():
            st.button(say("learn.two_heads"), key="open_induction", on_click=open_two_heads)
        fold(say("learn.bring"), _show_own, key="own_lesson")
        fold(say("learn.print"), partial(_show_sheets, lessons), key="lesson_sheets")


def pack_lessons(lessons: Iterable[Lesson], at: Standing | None) -> WireLessons:
    """Pack the list; `at` is the step at which a started lesson continues."""
    return {
        "language": language(),
        "lessons": [_listed(one) for one in lessons],
        "current": at and (at.lesson, at.part),
    }


def _listed(lesson: Lesson) -> WireListed:
    return {
        "id": lesson.id,
        "title": lesson.title.said(language()),
        "goal": lesson.goal.said(language()),
        "minutes": lesson.minutes,
        "asked": [i for i, step in enumerate(lesson.steps, 1) if step.answer],
        "path": 1 <= lesson.path <= SHORT_PATH,
    }


def _show_own() -> None:
    """Take a file, and report its faults or offer to begin."""
    st.html(tokens.note(say("learn.bring_how")))
    data: WireBring = {"most": MOST_BYTES}
    _file(key=FILE, data=data, on_file_change=take_file)
    found = brought()
    if isinstance(found, Lesson):
        title = found.title.said(language())
        st.html(tokens.note(say("learn.taken", title=title)))
        st.button(
            tokens.markdown(say("learn.open_own", title=title)),
            key="begin_own",
            on_click=begin_own,
            args=(found.id,),
        )
    elif found:
        st.html(tokens.notice(say("learn.faulty"), "\n".join(map(str, found))))


def _show_sheets(lessons: tuple[Lesson, ...]) -> None:
    """Let the reader choose a lesson and save its sheet."""
    said = language()
    st.html(tokens.note(say("learn.print_note")))
    chosen = st.selectbox(
        say("learn.which"),
        lessons,
        format_func=lambda lesson: lesson.title.said(said),
        key="sheet_lesson",
    )
    offer_file(
        say("learn.save_sheet"),
        partial(_sheet, chosen, said),
        file_name=f"{chosen.id}-{said}.html",
        mime="text/html",
        key="sheet_file",
    )


def _sheet(lesson: Lesson, said: Language) -> str:
    steps = [catalogue.resolved(lesson, part) for part in range(1, len(lesson.steps) + 1)]
    with speaking(said):
        return sheet(lesson, steps)
