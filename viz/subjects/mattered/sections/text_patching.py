"""Activation patching with two texts that a model continues differently, or with many pairs."""

import streamlit as st

from texts import say
from viz.address.address import bound
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.mattered import cache
from viz.subjects.mattered.pictures import show_patching
from viz.subjects.mattered.sections.patching import begun, is_worth_asking, type_other
from viz.subjects.mattered.text_packing import answers, pack_texts
from viz.subjects.mattered.text_pairs import LONGEST
from viz.subjects.mattered.words import patching as words

_PAIRS = "text_pairs"


def show_two_texts(view: View) -> None:
    """Follow the difference between two texts, or the mean of many pairs."""
    st.html(tokens.heading(say("mattered.patching_of_texts")))
    if view.inputs.interventions:
        st.html(tokens.note(say("mattered.without_changes")))
    view = cache.without_changes(view)
    key = bound(_PAIRS, "", longest=LONGEST)
    many = st.session_state[key]
    is_list = bool(many.strip())
    with st.container(gap="small"):
        other = "" if is_list else type_other(view, say("mattered.other_text"), _suggestion)
        if is_list or other.strip():
            _show_found(view, other, many)
        else:
            st.html(tokens.note(say("mattered.type_other_text")))
    st.text_area(
        say("mattered.pairs" if is_list else "mattered.or_pairs"),
        key=key,
        height="content",
        max_chars=LONGEST,
        placeholder=say("mattered.pair_fields"),
    )


def _suggestion(view: View) -> str:
    with st.spinner(say("mattered.looking"), show_time=True):
        return cache.text_suggestion(view)


def _show_found(view: View, other: str, many: str) -> None:
    """Show what carries the difference, for a large model only on request."""
    is_list = bool(many.strip())
    try:
        contests = cache.text_contests(view, other, many)
        if is_worth_asking(view.model, contests, (view.inputs, other, many)):
            return
        with st.spinner(say("mattered.patching_now"), show_time=True):
            found = cache.text_patching(view, other, many)
    except ValueError as error:
        wrong = say("mattered.cannot_read_pairs" if is_list else "mattered.cannot_patch_texts")
        st.html(tokens.notice(wrong, f"{begun(str(error))}."))
        return
    info = view.run.info
    apart = found.clean_difference, found.corrupt_difference
    st.html(
        tokens.note(
            words.mean_lead(len(contests), apart)
            if is_list
            else words.lead(*answers(info, contests[0]), apart)
        )
    )
    show_patching(pack_texts(info, contests, found))
