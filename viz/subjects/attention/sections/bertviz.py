"""BertViz' views of the same run."""

import streamlit as st

from texts import say, say_of
from viz.frame.optional_packages import is_missing, show_missing
from viz.pictures import tokens
from viz.pictures.iframes import show_document
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.attention import words
from viz.subjects.attention.bertviz_size import View as BertvizView
from viz.subjects.attention.bertviz_size import frame_height, too_large, views_for
from viz.subjects.attention.bertviz_view import bertviz_html


def show_bertviz(view: View, selection: Selection) -> None:
    """Show one of BertViz' views of the selected kind, in a frame that can reach nothing."""
    if is_missing("bertviz"):
        show_missing("bertviz")
        return
    name: BertvizView = st.segmented_control(
        say("attention.bertviz_view"),
        views_for(selection.kind),
        format_func=_view_name,
        default="head",
        required=True,
        key="bertviz_view",
    )
    st.html(tokens.note(words.about_bertviz(selection.kind, view.run.anatomy)))
    if problem := too_large(view.run, selection.kind, name):
        st.html(tokens.notice(say("attention.too_large"), problem))
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


def _view_name(view: BertvizView) -> str:
    return say_of("attention.view", view)
