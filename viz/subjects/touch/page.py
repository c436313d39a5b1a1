"""Touch: lines of attention that are pulled by hand, and what the model then writes."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from viz.frame.fold import fold
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run import session
from viz.run.link import follow_selection
from viz.run.needs import translating
from viz.run.view import View
from viz.run.weights import offer_weights
from viz.subjects.touch import cache, words
from viz.subjects.touch.actions import begin, last_number, take_change, take_wrong
from viz.subjects.touch.packing import pack_hand
from viz.subjects.touch.pictures import send_model, show_hand

TITLE = words.TITLE
URL = "touch"
NEEDS = translating


def render(view: View) -> None:
    """Show the lines of one row, the translation, and what a hand makes of them."""
    before = session.open_view(view.inputs.unchanged)
    pull = cache.pull_of(before)
    begin(before, pull)
    follow_selection(view.run, view.parcel.key, URL)
    changed = bool(view.run.interventions) and not view.run.given
    said = words.outcome(before.run, view.run) if changed else words.invitation(before.run, pull)
    st.html(tokens.question(words.QUESTION, explained(said)))
    if wrong := take_wrong():
        st.html(tokens.notice(words.WRONG, wrong))
    offered = offer_weights(view.inputs.checkpoint)
    if offered is None:
        st.html(tokens.note(words.TOO_LARGE))
    else:
        send_model(cache.model_of(before, *offered))
    key = offered[0] if offered else ""
    show_hand(
        pack_hand(view, before, key, pull, last_number()), on_change=partial(take_change, view)
    )
    with st.container(gap="xsmall"):
        fold(words.WHY_HEADING, partial(_say, words.WHY), key="touch_why")
        fold(words.COPIES_HEADING, partial(_say, words.COPIES), key="touch_how")


def _say(text: Markup) -> None:
    st.html(text)
