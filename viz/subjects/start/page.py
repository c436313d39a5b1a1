"""The Start page: one sentence, one question, the answer in stages, and the ways onward."""

import streamlit as st

from texts import say
from viz.address.address import page_part
from viz.address.link import follow_selection, go_to
from viz.run.requirements import all_of, running_again, translating
from viz.run.sending import are_tensors_sent, send_head_tensors, send_run
from viz.run.tensor_parcel import pack_head
from viz.run.view import View
from viz.subjects.start import markup
from viz.subjects.start.actions import (
    Place,
    go_to_stop,
    head_asked,
    is_behind,
    place_of,
    sentences,
    take_head,
    take_move,
    tour_stop,
)
from viz.subjects.start.cache import drawn_alone, question_data, shown_views
from viz.subjects.start.facts import KIND
from viz.subjects.start.pictures import show_start
from viz.subjects.start.sections.tour import STOPS, show_tour

URL = "start"
NEEDS = all_of(translating, running_again)


@page_part
def render(view: View) -> None:
    """Ask about the sentence in view, or show a stop of the tour; then show the ways onward."""
    if is_behind(view):
        st.rerun()
    follow_selection(view.run, view.parcel.key, URL)
    texts = sentences(view)
    place = place_of(view, texts)
    with st.container(key="start_page", gap="small"):
        if stop := tour_stop(STOPS):
            show_tour(view, stop)
        else:
            st.html(markup.title(say("start.what_it_is")))
            _ask(view, texts, place)
        _show_doors()


def _ask(view: View, texts: tuple[str, ...], place: Place) -> None:
    views, head = shown_views(view, texts), head_asked(view)
    data = question_data(view, views, head, **place._asdict())
    show_start(data, on_move=take_move, on_head=take_head)
    for other in views:
        if other is not view:
            send_run(drawn_alone(other), place="start_other")
    if head:
        for at, one in enumerate(views):
            _send_head(one, *head, place=f"start_head_{at}")


def _send_head(view: View, layer: int, head: int, *, place: str) -> None:
    """Send the tensors of a head, if the run was sent without any."""
    if not are_tensors_sent(view.parcel):
        tensors = pack_head(view.run, None, KIND, layer, head)
        send_head_tensors(view.parcel.key, KIND, layer, head, tensors, place=place)


def _show_doors() -> None:
    """Show the ways onward: lessons, the tour, all heads, a lecture."""
    with st.container(horizontal=True, key="start_doors", gap="small"):
        st.button(say("start.ten_minutes"), key="door_lessons", on_click=go_to, args=("learn",))
        st.button(say("start.tour"), key="door_tour", on_click=go_to_stop, args=(1,))
        st.button(
            say("start.open_attention"), key="door_attention", on_click=go_to, args=("attention",)
        )
        st.button(say("start.give"), key="door_lecture", on_click=go_to, args=("lecture",))
