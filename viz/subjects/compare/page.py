"""The Compare page: any two runs, their attention, their states and their texts."""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from texts import say
from viz.address.address import page_part
from viz.address.link import follow_selection
from viz.address.selection import Selection
from viz.pictures import tokens
from viz.pictures.component import picture
from viz.pictures.glossary import explained
from viz.run.axes import AttentionKind
from viz.run.sending import is_whole, send_run, send_whole_head
from viz.run.view import View
from viz.subjects.compare.cache import changes_of, pairing_of, put_in_view
from viz.subjects.compare.comparability import what_is_shared
from viz.subjects.compare.heads import KindChange
from viz.subjects.compare.packing import pack_changes
from viz.subjects.compare.report import two_texts
from viz.subjects.compare.sections.details import show_folds
from viz.subjects.compare.sections.other_run import choose_other, open_other, run_names
from viz.subjects.compare.sections.url_state import follow_link
from viz.subjects.compare.summary import answer

URL = "compare"

_compared = picture("compared", "subjects/compare/browser/compared.js")


@page_part
def render(view: View) -> None:
    """Show the run in view beside another one, and say what differs."""
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
    _show_heads(view, other, changes, selection, by_likeness=by_likeness)
    if not shared.states:
        st.html(tokens.note(say("compare.match_note")))
    show_folds(view, other, shared)


def _show_heads(
    a: View,
    b: View,
    changes: Mapping[AttentionKind, KindChange],
    selection: Selection,
    *,
    by_likeness: bool,
) -> None:
    """List the heads by how far they moved, and draw the selected one in both runs."""
    send_run(b.parcel, place="compare_run")
    kind, layer, head = selection.kind, selection.layer, selection.head
    match = changes[kind].match
    other = match[layer][head] if layer < len(match) else None
    if not is_whole(a.parcel, kind):
        send_whole_head(a.run, a.parcel.key, kind, layer, head, place="compare_head_a")
    if other is not None and not is_whole(b.parcel, kind):
        send_whole_head(b.run, b.parcel.key, kind, layer, other, place="compare_head_b")
    with st.container(border=True, key="card_compare", gap="small"):
        data = pack_changes(changes, (a.parcel.key, b.parcel.key), matched=by_likeness)
        _compared(key="compare_changes", data=data)
