"""A lesson of one's own: a file is brought, checked, and held for this visit."""

import streamlit as st

from texts import language, say
from viz.lessons.lesson import Lesson
from viz.lessons.reading import MOST_BYTES
from viz.pictures import tokens
from viz.subjects.lessons.actions import begin_own, brought, take_file
from viz.subjects.lessons.pictures import show_field


def show_own() -> None:
    """Take a file, and say what is wrong with it or offer to begin."""
    st.html(tokens.note(say("learn.bring_how")))
    show_field({"most": MOST_BYTES}, on_file=take_file)
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
