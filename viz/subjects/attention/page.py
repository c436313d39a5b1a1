"""Attention: all heads, one head, one cell of it with its arithmetic."""

from functools import partial

import streamlit as st

from viz.pictures import tokens
from viz.pictures.made import show_made_for
from viz.run.carried import written_marks
from viz.run.link import current_selection, follow_selection, take_choice
from viz.run.parcel import axis_titles, is_whole, send_whole_head
from viz.run.record import Run, axis_tokens, check_head
from viz.run.selection import Selection, cell_in_view, head_in_view
from viz.run.view import View
from viz.subjects.attention import words
from viz.subjects.attention.cache import explained
from viz.subjects.attention.pictures import (
    CARD,
    show_cell,
    show_formulas,
    show_head,
    show_heads,
    show_sentences,
)
from viz.subjects.attention.sections.below import show_sections
from viz.subjects.attention.stages import WINDOW

TITLE = "Attention"
URL = "attention"

_ROUNDING = 1e-5
"""What float32 may differ by."""


@st.fragment
def render(view: View) -> None:
    """Show what went in and came out, all heads, and the selected head and cell.

    A fragment: to choose another cell or head draws only the page again, not the sidebar.
    """
    run, key = view.run, view.parcel.key
    selection = follow_selection(run, key, URL)
    if not is_whole(view.parcel, selection.kind):
        send_whole_head(run, key, selection.kind, selection.layer, selection.head)
    with st.container(border=True, key="card_sentences", gap="small"):
        st.html(tokens.sentence(run.text or words.WROTE_NOTHING, written_marks(run)))
        show_sentences(key)
        _say_what_is_odd(run)
    with st.container(key="explorer"):
        with st.container(border=True, key="card_heads", gap="xsmall"):
            st.html(tokens.heading(words.ALL_HEADS))
            show_heads(key)
        with st.container(border=True, key="card_head", gap="xsmall"):
            show_head(key)
        with st.container(border=True, key="card_cell", gap="xsmall"):
            with st.container(key="cell", gap=None):
                show_formulas(explained(view, selection))
                _show_cell(view)
            with st.container(key="cell_checks", gap=None):
                _show_checks(run, selection)
        with st.container(border=True, key="card_below", gap="small"):
            show_sections(view, selection)
    show_made_for(head_in_view(key, selection), "cell_checks", key="made_checks")


@st.fragment
def _show_cell(view: View) -> None:
    """Show the arithmetic of the selected cell: all that another cell of its head draws again."""
    run, parcel = view.run, view.parcel
    selection = current_selection(run)
    queries, keys = axis_tokens(run, selection.kind)
    query_words, key_words = axis_titles(selection.kind, parcel.languages)
    show_cell(
        explained(view, selection),
        query_tokens=queries,
        key_tokens=keys,
        query_words=query_words,
        key_words=key_words,
        made_for=cell_in_view(parcel.key, selection),
        on_choice=partial(take_choice, CARD) if max(len(queries), len(keys)) <= WINDOW else None,
    )


def _say_what_is_odd(run: Run) -> None:
    if not run.info.config.causal_mask:
        st.html(tokens.note(words.NO_CAUSAL_MASK))
    if not run.given and not run.finished:
        st.html(tokens.note(words.stopped_early(len(run.steps))))


def _show_checks(run: Run, selection: Selection) -> None:
    found = check_head(run, selection.kind, selection.layer, selection.head)
    st.html(tokens.badges(words.checks(found, _ROUNDING)))
    if selection.kind != "encoder self-attention" and not run.info.config.causal_mask:
        st.html(tokens.note(words.FINISHED_SENTENCE))
