"""BertViz' view of the same run."""

import streamlit as st

from viz.address.selection import Selection
from viz.frame.optional_packages import is_missing, show_missing
from viz.pictures import tokens
from viz.pictures.iframes import show_document
from viz.run.view import View
from viz.subjects.attention.bertviz_view import bertviz_html, frame_height, too_large


def show_bertviz(view: View, selection: Selection) -> None:
    """Show BertViz' head view of the selected kind, in a frame that can reach nothing."""
    if is_missing("bertviz"):
        show_missing("bertviz")
        return
    if problem := too_large(view.run, selection.kind):
        st.html(tokens.note(problem))
        return
    document = bertviz_html(
        view.run,
        selection.kind,
        layer=selection.layer,
        head=selection.head,
        dark=st.context.theme.type == "dark",
    )
    show_document(document, height=frame_height(view.run, selection.kind))
