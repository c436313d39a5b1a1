"""Equation 1 for the selected head, stage by stage."""

from typing import Any

import streamlit as st

from texts import say, say_of
from viz.address.selection import Selection, cell_in_view, head_in_view
from viz.heads.head_checks import check_head
from viz.pictures import tokens
from viz.pictures.freshness import show_made_for
from viz.pictures.numbers import number_text
from viz.pictures.panels import Panel, show_panels
from viz.run.axes import AttentionKind, attention_name, axis_tokens
from viz.run.record import Run
from viz.run.tensor_parcel import tolerance_of
from viz.run.view import View
from viz.subjects.attention import words
from viz.subjects.attention.stages import Stages, attention_stages

_ROUNDING = 1e-5
"""The largest difference that float32 rounding may cause."""


def show_stages(view: View, selection: Selection) -> None:
    """Show equation 1 as six matrices of the selected head, which share the pointer."""
    run, kind, head = view.run, selection.kind, selection.head
    stages = attention_stages(run, kind, selection.layer, head, selection.query, selection.key)
    path = attention_name(kind, selection.layer).removesuffix(".weights")
    shown = _shown(stages)
    whole = [len(part) for part in shown] == [len(side) for side in axis_tokens(run, kind)]
    with st.container(key="stage_by_stage", gap="small"):
        st.html(tokens.heading(say("attention.stages_heading"), code=f"{path}.*[{head}]"))
        show_panels(
            _panels(run, kind, head, stages), key="stages", width=285, height=320, selects=True
        )
        if not whole:
            st.html(tokens.note(words.window(*shown)))
    with st.container(key="head_checks", gap="xsmall"):
        _show_checks(run, selection)
    in_view = head_in_view if whole else cell_in_view
    show_made_for(in_view(view.parcel.key, selection), "stage_by_stage", key="made_stages")
    show_made_for(head_in_view(view.parcel.key, selection), "head_checks", key="made_checks")


def _panels(run: Run, kind: AttentionKind, head: int, stages: Stages) -> list[Panel]:
    """Lay out products, scores, masked scores, weights, values and mix of one head."""
    shown, hidden = zip(axis_tokens(run, kind), _shown(stages), strict=True), stages.hidden
    queries, keys = (tokens[part.start : part.stop] for tokens, part in shown)
    query, key, dimension = (say_of("attention.axis", n) for n in ("query", "key", "dimension"))
    fill = number_text(run.info.config.mask_fill)
    of_each: dict[str, Any] = {"group": kind, "first": stages.first, "scale": "signed"}
    of_query: dict[str, Any] = of_each | {"row_tokens": queries, "row_title": query}
    of_key: dict[str, Any] = of_each | {"row_tokens": keys, "row_title": key}
    square: dict[str, Any] = of_query | {"column_tokens": keys, "column_title": key}
    weighted: dict[str, Any] = square | {"scale": "weights"}
    return [
        Panel(title=say("attention.stage_products"), code="QKᵀ", values=stages.products, **square),
        Panel(
            title=words.scaled_title(stages.d_k, stages.scale, is_biased=stages.is_biased),
            code=f"scores[{head}]",
            values=stages.scores,
            **square,
        ),
        Panel(
            title=say("attention.stage_mask", count=int(hidden.sum())),
            code=say("attention.stage_fill", value=fill),
            values=stages.masked,
            masked=hidden,
            **square,
        ),
        Panel(
            title=say("attention.stage_softmax"),
            code=f"weights[{head}]",
            values=stages.weights,
            masked=hidden & (stages.weights == 0),
            **weighted,
        ),
        Panel(
            title=say("attention.stage_values"),
            code=f"value[{head}]",
            values=stages.values,
            axes=("key", "dimension"),
            column_title=dimension,
            **of_key,
        ),
        Panel(
            title=say("attention.stage_mix"),
            code=f"heads[{head}]",
            values=stages.mix,
            axes=("query", "dimension"),
            column_title=dimension,
            **of_query,
        ),
    ]


def _shown(stages: Stages) -> tuple[range, range]:
    """Return the queries and the keys that the stages show."""
    query, key = stages.first
    rows, columns = stages.scores.shape
    return range(query, query + rows), range(key, key + columns)


def _show_checks(run: Run, selection: Selection) -> None:
    found = check_head(run, selection.kind, selection.layer, selection.head)
    has_sinks = run.anatomy.site(selection.kind).sinks
    st.html(tokens.badges(words.checks(found, tolerance_of(run, _ROUNDING), has_sinks=has_sinks)))
