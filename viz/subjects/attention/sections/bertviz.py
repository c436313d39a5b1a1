"""BertViz' views of the same run."""

import streamlit as st

from viz.pictures import tokens
from viz.pictures.framed import show_document
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.attention import words
from viz.subjects.attention.bertviz_size import View as BertvizView
from viz.subjects.attention.bertviz_size import frame_height, too_large, views_for
from viz.subjects.attention.bertviz_view import bertviz_html


def show_bertviz(view: View, selection: Selection) -> None:
    """Show one of BertViz' views of the selected kind, in a frame that can reach nothing."""
    name: BertvizView = st.segmented_control(
        words.BERTVIZ_VIEW,
        views_for(selection.kind),
        default="head",
        required=True,
        key="bertviz_view",
    )
    st.html(tokens.note(words.about_bertviz(selection.kind, view.run.anatomy)))
    if problem := too_large(view.run, selection.kind, name):
        st.html(tokens.notice(words.TOO_LARGE, problem))
        return
    document = bertviz_html(
        view.run,
        selection.kind,
        name,
        layer=selection.layer,
        head=selection.head,
        dark=st.context.theme.type == "dark",
    )
    show_document(document, height=frame_height(view.run, selection.kind, name))
