"""Positions: what they do to this run, and the encoding in numbers, waves and its geometry."""

from functools import partial

import streamlit as st

from viz.frame.dials import show_dials
from viz.frame.fold import fold
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.link import follow_selection
from viz.run.needs import translating
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.positions.reruns import Rerun
from viz.subjects.positions.sections.addition import show_addition
from viz.subjects.positions.sections.closer import show_closer
from viz.subjects.positions.sections.encoding import show_encoding
from viz.subjects.positions.sections.formula import choose_table, text_length
from viz.subjects.positions.sections.reruns import (
    Asked,
    choose_rerun,
    run_again,
    show_numbers,
    show_order,
    show_weights,
    show_written,
)
from viz.subjects.positions.words import labels
from viz.subjects.positions.words.sentences import answer

TITLE = "Positions"
URL = "positions"
NEEDS = translating

_OF_ENCODING = (
    "formula", "length", "d_model", "base", "learned", "side", "pos", "dim", "closer", "waves",
    "shift", "pairs",
)  # fmt: skip
"""Parameters of the encoding, as a link has them after `positions_`."""


@st.fragment
def render(view: View) -> None:
    """Show what becomes of the sentence without its positions, then all about the encoding."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    opening = st.container()
    changed: Rerun | None = None
    with st.container(border=True, key="card_positions_reruns", gap="small"):
        st.html(tokens.heading(labels.RERUNS) + tokens.note(labels.RERUNS_NOTE))
        result = st.container()
        asked = choose_rerun(view.run)
        if asked is not None:
            changed = run_again(view, asked)
            with result:
                show_written(asked, changed)
            show_numbers(view.run, changed)
    with opening:
        st.html(tokens.question(labels.QUESTION, explained(_answer(view, asked, changed))))
    _show_more(view, selection, asked, changed)


def _answer(view: View, asked: Asked | None, changed: Rerun | None) -> str:
    return answer(
        (asked.change, asked.where) if asked and changed else None,
        "" if changed is None else changed.text,
        same=changed is not None and changed.text == changed.text_before,
        added=view.run.info.config.positions != "none",
    )


def _show_more(
    view: View, selection: Selection, asked: Asked | None, changed: Rerun | None
) -> None:
    with st.container(gap="xsmall"):
        if asked is not None and changed is not None:
            show = partial(show_weights, view, changed, selection)
            fold(labels.HEAD_FOLD, show, key="positions_head")
        fold(
            labels.ENCODING_FOLD,
            partial(_show_encoding, view),
            key="positions_encoding",
            asked_by=[f"positions_{name}" for name in _OF_ENCODING],
        )
        fold(
            labels.ADDITION_FOLD,
            partial(show_addition, view.run),
            key="positions_sum",
            asked_by=("positions_sum_text", "positions_sum_view"),
        )
        names = ("source_positions", "target_positions", "embedding_scale")
        fold(labels.DIALS_FOLD, partial(show_dials, view, names), key="positions_dials")
        seed = 0 if asked is None else asked.seed
        fold(labels.ORDER_FOLD, partial(show_order, view, seed), key="positions_order")


def _show_encoding(view: View) -> None:
    """Show one encoding from all sides."""
    chosen = choose_table(view)
    if chosen is None:
        return
    table, text = chosen
    picked = show_encoding(view.run, table, text)
    show_closer(table, picked, text_length(view.run))
