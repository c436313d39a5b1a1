"""Compare: any two runs, where their heads look, what they compute and what they write."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from texts import say
from viz.address.address import page_part
from viz.address.link import follow_selection
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.view import View
from viz.subjects.compare.cache import changes_of, pairing_of, put_in_view
from viz.subjects.compare.comparability import what_is_shared
from viz.subjects.compare.report import two_texts
from viz.subjects.compare.sections.details import show_folds
from viz.subjects.compare.sections.heads import show_heads
from viz.subjects.compare.sections.other_run import choose_other, open_other, run_names
from viz.subjects.compare.sections.url_state import follow_link
from viz.subjects.compare.summary import answer

URL = "compare"


@page_part
def render(view: View) -> None:
    """Set the run in view beside another one, and say what is different."""
    follow_link(view.inputs.device)
    opening = st.container(key="compare_opening", gap=None)
    with st.container(border=True, key="card_compare_runs", gap="xsmall"):
        inputs = choose_other(view)
        other = open_other(view, inputs) if inputs else None
        if other:
            st.html(two_texts(view.run, other.run, run_names(view.inputs, other.inputs)))
    if other and other.parcel.key != view.parcel.key:
        put_in_view(other)
        _compare(view, other, opening)
        return
    follow_selection(view.run, view.parcel.key, URL)
    with opening:
        st.html(tokens.question(say("compare.question"), say("compare.same_run") if other else ""))


def _compare(view: View, other: View, opening: DeltaGenerator) -> None:
    one_model = view.inputs.checkpoint == other.inputs.checkpoint
    shared = what_is_shared(view.run, other.run, one_model=one_model)
    if not shared.heads:
        follow_selection(view.run, view.parcel.key, URL)
        with opening:
            said = say("compare.inputs_only", why=shared.why_not)
            st.html(tokens.question(say("compare.question"), explained(said)))
        return
    by_likeness = not one_model
    changes = changes_of(view, other, by_likeness=by_likeness)
    selection = follow_selection(view.run, view.parcel.key, URL)
    with opening:
        said = answer(
            view.run, other.run, changes, pairing_of(view, other).target, matched=by_likeness
        )
        st.html(tokens.question(say("compare.question"), explained(said)))
    show_heads(view, other, changes, selection, by_likeness=by_likeness)
    if not shared.states:
        st.html(tokens.note(say("compare.match_note")))
    show_folds(view, other, shared)
