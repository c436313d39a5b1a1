"""The part of the page that says what held-out rows lose without each head."""

import streamlit as st

from sample_data.one_text.record import HeadTable
from viz.pictures import tokens
from viz.pictures.html_table import table
from viz.subjects.induction import words


def show_cuts(found: HeadTable) -> None:
    """Show the recorded table, the head whose cut costs most first."""
    st.html(tokens.note(words.dearest(found)))
    rows = [words.cut_row(found, cut) for cut in found.cuts]
    st.html(table(words.cut_columns(found), rows, numeric=range(1, 5), least_width=34))
    st.html(tokens.note(words.cuts_note(found)))
