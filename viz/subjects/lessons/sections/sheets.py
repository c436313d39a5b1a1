"""Sheets to print: the questions of a lesson, and its answers on a page apart."""

from functools import partial
from itertools import chain

import streamlit as st

from texts import Language, language, say, speaking
from viz.frame.download import offer_file
from viz.frame.lesson import catalogue
from viz.lessons.lesson import Lesson
from viz.pictures import tokens
from viz.subjects.lessons.sheet import sheet


def show_sheets() -> None:
    """Let a lesson be chosen and its sheet be saved."""
    said = language()
    st.html(tokens.note(say("learn.print_note")))
    lessons = [*chain(catalogue.shipped(), catalogue.own().values())]
    if not lessons:
        return
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
