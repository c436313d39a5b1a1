"""The three doors from Start: learn, explore, teach."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.pictures import tokens
from viz.run.link import go_to
from viz.subjects.start import markup, words
from viz.subjects.start.actions import go_to_stop, present, watch


def show_doors() -> None:
    """Show where one can go from here."""
    with st.container(key="start_doors", gap="small"):
        st.html(tokens.heading(words.DOORS))
        with st.container(horizontal=True, key="start_door_row", gap="medium"):
            with _door("learn", words.LEARN, words.LEARN_WORDS):
                st.button(words.WATCH_AGAIN, key="door_watch", on_click=watch)
                st.button(words.TAKE_TOUR, key="door_tour", on_click=go_to_stop, args=(1,))
            with _door("explore", words.EXPLORE, words.EXPLORE_WORDS):
                st.button(
                    words.OPEN_ATTENTION, key="door_attention", on_click=go_to, args=("attention",)
                )
                st.button(words.OPEN_MAP, key="door_map", on_click=go_to, args=("map",))
            with _door("teach", words.TEACH, words.TEACH_WORDS):
                st.button(words.PRESENT, key="door_present", on_click=present)
                st.button(words.DECODE, key="door_decoding", on_click=go_to, args=("decoding",))


def _door(name: str, title: str, said: str) -> DeltaGenerator:
    place = st.container(border=True, key=f"card_door_{name}", gap="small")
    place.html(markup.door(title, said))
    return place.container(horizontal=True, gap="small")
