"""Learn: the ten-minute path, all lessons, and lessons of one's own."""

import streamlit as st

from texts import say
from viz.frame.expander import fold
from viz.frame.lesson import catalogue
from viz.frame.lesson.progress import standing
from viz.pictures import tokens
from viz.run import link
from viz.run.view import View
from viz.subjects.lessons.actions import open_lesson
from viz.subjects.lessons.packing import pack_lessons
from viz.subjects.lessons.pictures import show_list
from viz.subjects.lessons.sections.sheets import show_sheets
from viz.subjects.lessons.sections.uploaded_lesson import show_own

URL = "learn"


def render(view: View) -> None:
    """List the lessons."""
    link.follow_selection(view.run, view.parcel.key, URL)
    with st.container(key="learn_page", gap="medium"):
        st.html(tokens.question(say("learn.question"), say("learn.answer")))
        lessons = (*catalogue.shipped(), *catalogue.own().values())
        if view.inputs.checkpoint not in {lesson.checkpoint for lesson in lessons}:
            st.html(tokens.note(say("learn.own_models", model=view.run.info.name)))
        show_list(pack_lessons(lessons, standing()), on_open=open_lesson)
        fold(say("learn.bring"), show_own, key="own_lesson")
        fold(say("learn.print"), show_sheets, key="lesson_sheets")
