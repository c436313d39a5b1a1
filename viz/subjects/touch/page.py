"""Touch: lines of attention that are pulled by hand, and what the model then writes."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from viz.frame.fold import fold
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run import session
from viz.run.link import follow_selection
from viz.run.needs import predicting
from viz.run.view import View
from viz.run.weights import offer_weights, runs_in_browser
from viz.subjects.touch import cache, words
from viz.subjects.touch.actions import begin, last_number, take_change, take_wrong
from viz.subjects.touch.packing import guessed, pack_hand
from viz.subjects.touch.pictures import send_model, show_hand

TITLE = words.TITLE
URL = "touch"
NEEDS = predicting


def render(view: View) -> None:
    """Show the lines of one row, the translation, and what a hand makes of them."""
    before = session.open_view(view.inputs.unchanged)
    pull = cache.pull_of(before)
    begin(before, pull)
    follow_selection(view.run, view.parcel.key, URL)
    changed = bool(view.run.interventions) and not view.run.given
    said = words.invitation(before.run, pull)
    if changed:
        writes = view.run.anatomy.writes
        same = before.run.text == view.run.text
        if not writes:
            same = guessed(before.run) == guessed(view.run)
        said = words.outcome(same=same, writes=writes)
    st.html(tokens.question(words.QUESTION, explained(said)))
    if wrong := take_wrong():
        st.html(tokens.notice(words.WRONG, wrong))
    runs = runs_in_browser(view.run.info.config)
    offered = offer_weights(view.inputs.checkpoint) if runs else None
    if offered is None:
        st.html(tokens.note(words.TOO_LARGE if runs else words.NOT_KNOWN))
    else:
        send_model(cache.model_of(before, *offered))
    key = offered[0] if offered else ""
    show_hand(
        pack_hand(view, before, key, pull, last_number()), on_change=partial(take_change, view)
    )
    with st.container(gap="xsmall"):
        fold(words.WHY_HEADING, partial(_say, words.WHY), key="touch_why")
        copies = words.COPIES if runs else words.COPIES_ANEW
        fold(words.COPIES_HEADING, partial(_say, copies), key="touch_how")


def _say(text: Markup) -> None:
    st.html(text)
