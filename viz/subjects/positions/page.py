"""Positions: the encoding in numbers and waves, its geometry, and what it does to this run."""

import streamlit as st

from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.positions.sections.addition import show_addition
from viz.subjects.positions.sections.closer import show_closer
from viz.subjects.positions.sections.encoding import show_encoding
from viz.subjects.positions.sections.formula import choose_table, text_length
from viz.subjects.positions.sections.reruns import show_reruns

TITLE = "Positions"
URL = "positions"


@st.fragment
def render(view: View) -> None:
    """Show one encoding from all sides, then what it does to the sentence in view."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    with st.container(border=True, key="card_positions_formula", gap="small"):
        chosen = choose_table(view)
    if chosen is not None:
        table, text = chosen
        with st.container(border=True, key="card_positions_encoding", gap="small"):
            picked = show_encoding(view.run, table, text)
        with st.container(border=True, key="card_positions_closer", gap="small"):
            show_closer(table, picked, text_length(view.run))
    with st.container(border=True, key="card_positions_sum", gap="small"):
        show_addition(view.run)
    with st.container(border=True, key="card_positions_reruns", gap="small"):
        show_reruns(view, selection)
