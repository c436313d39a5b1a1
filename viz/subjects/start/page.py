"""Start: one sentence, one question, the answer in stages, and the doors to all the rest."""

import streamlit as st

from texts import say
from viz.address.address import page_part
from viz.address.link import follow_selection
from viz.run.requirements import all_of, running_again, translating
from viz.run.view import View
from viz.subjects.start import markup
from viz.subjects.start.actions import Place, is_behind, place_of, sentences, take_move, tour_stop
from viz.subjects.start.cache import asked, question_data
from viz.subjects.start.pictures import show_start
from viz.subjects.start.sections.doors import show_doors
from viz.subjects.start.sections.tour import STOPS, show_tour

URL = "start"
NEEDS = all_of(translating, running_again)


@page_part
def render(view: View) -> None:
    """Ask about the sentence in view, or show a stop of the tour; then where to go from here."""
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
        show_doors()


def _ask(view: View, texts: tuple[str, ...], place: Place) -> None:
    found = asked(view, texts, place.word)
    show_start(question_data(view, found, **place._asdict()), on_move=take_move)
