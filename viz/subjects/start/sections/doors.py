"""The three doors from Start: learn, explore, teach."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from texts import say
from viz.pictures import tokens
from viz.run.link import go_to
from viz.subjects.start import markup
from viz.subjects.start.actions import go_to_stop, present, watch


def show_doors() -> None:
    """Show where one can go from here."""
    with st.container(key="start_doors", gap="small"):
        st.html(tokens.heading(say("start.doors")))
        with st.container(horizontal=True, key="start_door_row", gap="medium"):
            with _door("learn", say("start.learn"), say("start.learn_words")):
                st.button(
                    say("start.ten_minutes"), key="door_lessons", on_click=go_to, args=("learn",)
                )
                st.button(say("start.watch"), key="door_watch", on_click=watch)
                st.button(say("start.tour"), key="door_tour", on_click=go_to_stop, args=(1,))
            with _door("explore", say("start.explore"), say("start.explore_words")):
                st.button(
                    say("start.open_attention"),
                    key="door_attention",
                    on_click=go_to,
                    args=("attention",),
                )
                st.button(say("start.open_map"), key="door_map", on_click=go_to, args=("map",))
            with _door("teach", say("start.teach"), say("start.teach_words")):
                st.button(say("start.present"), key="door_present", on_click=present)
                st.button(
                    say("start.decode"), key="door_decoding", on_click=go_to, args=("decoding",)
                )


def _door(name: str, title: str, said: str) -> DeltaGenerator:
    place = st.container(border=True, key=f"card_door_{name}", gap="small")
    place.html(markup.door(title, said))
    return place.container(horizontal=True, gap="small")
