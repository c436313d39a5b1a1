"""The pictures of attention: the tokens of a run, all heads, one head, one cell."""

from collections.abc import Callable, Sequence

import streamlit as st

from viz.pictures.component import picture
from viz.subjects.attention.cell.arithmetic import CellArithmetic
from viz.subjects.attention.packing import cell_data, cell_formulas

CARD = "cell_card"
"""Key of the card of a cell."""

_sentences = picture("sentences", "pictures/browser/sentences.js")
_heads = picture("heads", "subjects/attention/browser/heads.js")
_head = picture("head", "subjects/attention/browser/head.js")
_cell = picture("cell", "subjects/attention/browser/cell.js")


def show_sentences(run_key: str) -> None:
    """Show the tokens read and written; a click on one selects its row or column."""
    _sentences(key="sentences", data={"run": run_key})


def show_heads(run_key: str) -> None:
    """Show a thumbnail of every head of the selected kind; a click on one selects it."""
    _heads(key="heads", data={"run": run_key})


def show_head(run_key: str) -> None:
    """Show the selected head as a heat map and as lines between tokens."""
    _head(key="head", data={"run": run_key})


def show_formulas(cell: CellArithmetic) -> None:
    """Put the formulas on the page, hidden: the card shows a copy of each in its step."""
    with st.container(key="cell_formulas"):
        st.markdown(cell_formulas(cell))


def show_cell(
    cell: CellArithmetic,
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    query_words: str,
    key_words: str,
    made_for: dict[str, str | int] | None = None,
    on_choice: Callable[[], None] | None = None,
) -> None:
    """Draw the card. `show_formulas` has to stand on the same page.

    The tokens are those of all rows and columns; the words say what a row and a column are. The
    card hides while the run and the selection in view are not those that it was made for. With
    `on_choice`, another cell of the same head is committed through the card itself, so that in a
    fragment only the card is drawn again.
    """
    data = cell_data(
        cell,
        query_tokens=query_tokens,
        key_tokens=key_tokens,
        query_words=query_words,
        key_words=key_words,
    )
    data["made"] = made_for or {}
    if on_choice is None:
        _cell(key=CARD, data=data)
    else:
        _cell(key=CARD, data={**data, "commits": True}, on_commit_change=on_choice)
