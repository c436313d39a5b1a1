"""The ways on from Start: lessons, the tour, all heads, a lecture."""

import streamlit as st

from texts import say
from viz.address.link import go_to
from viz.subjects.start.actions import go_to_stop


def show_doors() -> None:
    """Show where one can go from here."""
    with st.container(horizontal=True, key="start_doors", gap="small"):
        st.button(say("start.ten_minutes"), key="door_lessons", on_click=go_to, args=("learn",))
        st.button(say("start.tour"), key="door_tour", on_click=go_to_stop, args=(1,))
        st.button(
            say("start.open_attention"), key="door_attention", on_click=go_to, args=("attention",)
        )
        st.button(say("start.give"), key="door_lecture", on_click=go_to, args=("lecture",))
