"""What stands below the selected head: its stages, every head in numbers, and BertViz."""

import streamlit as st

from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.attention import words
from viz.subjects.attention.sections.bertviz import show_bertviz
from viz.subjects.attention.sections.stages import show_stages
from viz.subjects.attention.sections.table import show_table


def show_sections(view: View, selection: Selection) -> None:
    """Let one section be opened, and draw only that one."""
    chosen = st.segmented_control(
        words.BELOW,
        (words.STAGES, words.TABLE, words.BERTVIZ),
        default=words.STAGES,
        required=True,
        key="below",
        bind="query-params",
        label_visibility="collapsed",
    )
    if chosen == words.STAGES:
        show_stages(view, selection)
    elif chosen == words.TABLE:
        show_table(view)
    else:
        show_bertviz(view, selection)
