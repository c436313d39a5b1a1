"""What stands below the selected head: its stages, every head in numbers, and BertViz."""

import streamlit as st

from viz.pictures import tokens
from viz.pictures.framed import show_document
from viz.pictures.made import show_made_for
from viz.pictures.panels import show_panels
from viz.run import session
from viz.run.link import select
from viz.run.record import attention_name, axis_tokens
from viz.run.selection import Selection, cell_in_view, head_in_view
from viz.run.view import View
from viz.subjects.attention import words
from viz.subjects.attention.bertviz_size import View as BertvizView
from viz.subjects.attention.bertviz_size import frame_height, too_large, views_for
from viz.subjects.attention.bertviz_view import bertviz_html
from viz.subjects.attention.head_table import show_head_table
from viz.subjects.attention.stage_panels import shown, stage_panels
from viz.subjects.attention.stages import attention_stages

_OPENED = "head_table_opened"
"""The row of the table that was opened last: it stays selected when another head is chosen."""


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


def show_stages(view: View, selection: Selection) -> None:
    """Show equation 1 as six matrices of the selected head, which share the pointer."""
    run, kind, head = view.run, selection.kind, selection.head
    stages = attention_stages(run, kind, selection.layer, head, selection.query, selection.key)
    path = attention_name(kind, selection.layer).removesuffix(".weights")
    whole = [len(part) for part in shown(stages)] == [len(side) for side in axis_tokens(run, kind)]
    with st.container(key="stage_by_stage", gap="small"):
        st.html(tokens.heading(words.STAGES_HEADING, code=f"{path}.*[{head}]"))
        show_panels(
            stage_panels(run, kind, head, stages), key="stages", width=285, height=320, selects=True
        )
        if not whole:
            st.html(tokens.note(words.window(*shown(stages))))
    in_view = head_in_view if whole else cell_in_view
    show_made_for(in_view(view.parcel.key, selection), "stage_by_stage", key="made_stages")


def show_table(view: View) -> None:
    """Show what every head does, in numbers and in a word; a row opens its head."""
    chosen = show_head_table(session.head_summary(view.inputs), key="head_table")
    before = st.session_state.get(_OPENED)
    st.session_state[_OPENED] = chosen
    if chosen not in (None, before):
        kind, layer, head = chosen
        select({"kind": kind, "layer": layer, "head": head})
        st.rerun(scope="fragment")


def show_bertviz(view: View, selection: Selection) -> None:
    """Show one of BertViz' views of the selected kind, in a frame that can reach nothing."""
    name: BertvizView = st.segmented_control(
        words.BERTVIZ_VIEW,
        views_for(selection.kind),
        default="head",
        required=True,
        key="bertviz_view",
    )
    st.html(tokens.note(words.about_bertviz(selection.kind)))
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
