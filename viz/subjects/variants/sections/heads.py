"""One head of each variant beside the others."""

from collections.abc import Sequence

import streamlit as st

from texts import say, say_of
from viz.frame.controls import choose_head
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run.address import bound
from viz.run.payload import axis_titles
from viz.run.record import attention_name, attention_trace, axis_tokens, layer_count
from viz.run.selection import Selection, aligned_selection
from viz.run.view import View
from viz.subjects.variants.sections.outputs import open_views

_WHICH = ("selected", "best")


def show_heads(
    view: View, names: dict[str, str], selection: Selection, views: Sequence[View]
) -> None:
    """Draw one head of each: the selected one, or each variant's best."""
    which, same = _choose()
    if which == "selected":
        choose_head(view.run, selection)
    written = next((v.run.text for v in views if v.run.finished and v.run.text), "")
    if same and written:
        variants = [v.run.info.variant for v in views]
        views = open_views(view, {variant: names[variant] for variant in variants}, written)
    best = which == "best"
    panels = [
        _panel(v, aligned_selection(v.run) if best else selection, view.parcel.languages)
        for v in views
    ]
    show_panels(panels, key=f"variants_{which}", width=330, height=360, selects=not best)
    st.html(tokens.note(say("variants.heads_note")))


def _choose() -> tuple[str, bool]:
    with st.container(horizontal=True, gap="large"):
        which = choose_one(
            say("variants.head_label"),
            _WHICH,
            lambda name: say_of("variants.which_head", name),
            key="variants_head",
            is_named=False,
        )
        same = st.toggle(
            say("variants.same_target"),
            key=bound("variants_same_target", usual=True),
            help=say("variants.same_target_help"),
        )
    return which, same


def _panel(view: View, selection: Selection, languages: tuple[str, str]) -> Panel:
    kind, config = selection.kind, view.run.info.config
    layer = min(selection.layer, layer_count(config, kind) - 1)
    head = min(selection.head, config.n_heads - 1)
    attention = attention_trace(view.run, kind, layer)
    weights = attention.weights[0, head].numpy()
    rows, columns = axis_tokens(view.run, kind)
    row_title, column_title = axis_titles(kind, languages)
    return Panel(
        title=view.run.info.variant,
        code=f"{attention_name(kind, layer)}[{head}]",
        values=weights,
        scale="weights",
        group=kind,
        row_tokens=rows,
        column_tokens=columns,
        row_title=row_title,
        column_title=column_title,
        masked=~attention.mask[0].expand(weights.shape).numpy() & (weights == 0),
    )
