"""Attention: all heads, one head, one cell of it with its arithmetic."""

from functools import partial

import streamlit as st

from viz.pictures import tokens
from viz.run.link import current_selection, follow_selection, take_choice
from viz.run.parcel import axis_titles, is_whole, send_whole_head
from viz.run.record import HeadChecks, Run, axis_tokens, check_head
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.attention.card import CARD, show_cell, show_formulas
from viz.subjects.attention.cell.arithmetic import CellArithmetic
from viz.subjects.attention.cell.explain import explain_cell
from viz.subjects.attention.pictures import show_head, show_heads, show_sentences
from viz.subjects.attention.sections import show_sections
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
        st.html(tokens.sentence(run.text or "(the model wrote no words)"))
        show_sentences(key)
        _say_what_is_odd(run)
    with st.container(key="explorer"):
        with st.container(border=True, key="card_heads", gap="xsmall"):
            st.html(tokens.heading("All heads"))
            show_heads(key)
        with st.container(border=True, key="card_head", gap="xsmall"):
            show_head(key)
        with st.container(border=True, key="card_cell", gap="xsmall"):
            with st.container(key="cell", gap=None):
                show_formulas(_explain(view, selection))
                _show_cell(view)
            _show_checks(run, selection)
        with st.container(border=True, key="card_below", gap="small"):
            show_sections(view, selection)


@st.fragment
def _show_cell(view: View) -> None:
    """Show the arithmetic of the selected cell: all that another cell of its head draws again."""
    run, parcel = view.run, view.parcel
    selection = current_selection(run)
    queries, keys = axis_tokens(run, selection.kind)
    query_words, key_words = axis_titles(selection.kind, parcel.languages)
    show_cell(
        _explain(view, selection),
        query_tokens=queries,
        key_tokens=keys,
        query_words=query_words,
        key_words=key_words,
        on_choice=partial(take_choice, CARD) if max(len(queries), len(keys)) <= WINDOW else None,
    )


def _explain(view: View, selection: Selection) -> CellArithmetic:
    return explain_cell(
        view.run,
        view.model,
        selection.kind,
        selection.layer,
        selection.head,
        selection.query,
        selection.key,
    )


def _say_what_is_odd(run: Run) -> None:
    if not run.info.config.causal_mask:
        st.html(
            tokens.note(
                "This variant has no causal mask: while it was trained it could read each next "
                "token off the target. While it decodes there is none to read; give it a target "
                "to see what it learned."
            )
        )
    if not run.given and not run.finished:
        st.html(tokens.note(f"Stopped after {len(run.steps)} tokens, before an </s>."))


def _show_checks(run: Run, selection: Selection) -> None:
    checks = check_head(run, selection.kind, selection.layer, selection.head)
    st.html(tokens.badges(_badges(checks)))
    if selection.kind != "encoder self-attention" and not run.info.config.causal_mask:
        st.html(
            tokens.note(
                "Without a causal mask this map is of the finished sentence, while each step of "
                "the decoding saw only the tokens written until then."
            )
        )


def _badges(checks: HeadChecks) -> list[tuple[bool, str, str]]:
    hidden = checks.masked_cells
    masked = (True, "nothing is masked here", "0 cells")
    if hidden and checks.largest_masked_weight == 0:
        masked = (True, "masked weights are exactly 0", f"{hidden} cells")
    elif hidden:
        masked = (False, "weight leaks through the mask", f"{checks.largest_masked_weight:.2g}")
    return [
        (checks.row_sum_error < _ROUNDING, "rows sum to 1", f"± {checks.row_sum_error:.1g}"),
        masked,
        (
            checks.float64_error < _ROUNDING,
            "agrees with float64 from q, k and mask",
            f"± {checks.float64_error:.1g}",
        ),
    ]
