"""Equation 1 of the selected head, stage by stage."""

import streamlit as st

from texts import say
from viz.pictures import tokens
from viz.pictures.freshness import show_made_for
from viz.pictures.panels import show_panels
from viz.run.record import AttentionKind, Run, attention_name, axis_tokens, check_head
from viz.run.selection import Selection, cell_in_view, head_in_view
from viz.run.view import View
from viz.subjects.attention import words
from viz.subjects.attention.stage_panels import shown, stage_panels
from viz.subjects.attention.stages import attention_stages

_ROUNDING = 1e-5
"""What float32 may differ by."""


def show_stages(view: View, selection: Selection) -> None:
    """Show equation 1 as six matrices of the selected head, which share the pointer."""
    run, kind, head = view.run, selection.kind, selection.head
    stages = attention_stages(run, kind, selection.layer, head, selection.query, selection.key)
    path = attention_name(kind, selection.layer).removesuffix(".weights")
    whole = [len(part) for part in shown(stages)] == [len(side) for side in axis_tokens(run, kind)]
    with st.container(key="stage_by_stage", gap="small"):
        st.html(tokens.heading(say("attention.stages_heading"), code=f"{path}.*[{head}]"))
        show_panels(
            stage_panels(run, kind, head, stages), key="stages", width=285, height=320, selects=True
        )
        if not whole:
            st.html(tokens.note(words.window(*shown(stages))))
    with st.container(key="head_checks", gap="xsmall"):
        _show_checks(run, selection)
    in_view = head_in_view if whole else cell_in_view
    show_made_for(in_view(view.parcel.key, selection), "stage_by_stage", key="made_stages")
    show_made_for(head_in_view(view.parcel.key, selection), "head_checks", key="made_checks")


def _show_checks(run: Run, selection: Selection) -> None:
    found = check_head(run, selection.kind, selection.layer, selection.head)
    has_sinks = run.anatomy.site(selection.kind).sinks
    st.html(tokens.badges(words.checks(found, _ROUNDING, has_sinks=has_sinks)))
    if run.anatomy.translates and _lacks_causal_mask(run, selection.kind):
        st.html(tokens.note(say("attention.finished_sentence")))


def _lacks_causal_mask(run: Run, kind: AttentionKind) -> bool:
    return kind != "encoder self-attention" and not run.info.config.causal_mask
