"""Every edge cut in turn: what each word had to read."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from model.attribution.cuts import Part
from texts import say
from viz.frame.controls import choose_head
from viz.frame.expander import fold
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run.link import current_selection
from viz.run.payload import axis_titles
from viz.run.record import attention_name as weights_name
from viz.run.record import axis_tokens
from viz.run.view import View
from viz.subjects.mattered import cache
from viz.subjects.mattered.damage import (
    AT_ONCE_BYTES,
    EdgeMap,
    attentions,
    edges_of,
    map_edges,
    strongest_edges,
    sweep_bytes,
)
from viz.subjects.mattered.part_names import attention_name, attention_title, kind_of
from viz.subjects.mattered.report import listed
from viz.subjects.mattered.sections.progress import measured
from viz.subjects.mattered.words import edges as words

_KEY = "mattered_edges"
_WIDTH, _HIGHEST, _CELL = 330, 330, 20
"""Of a map, in pixels."""
_REACH = 0.1
"""Nats per token: an attention whose edges all cost less is pale."""
_TOLD = 2
"""Edges of each kind of attention that are told of."""


def show_edges(view: View) -> None:
    """Offer what each edge costs."""
    fold(say("mattered.edges"), partial(_show, view), key=_KEY)


def _show(view: View) -> None:
    two = view.run.anatomy.translates
    st.html(tokens.note(say("mattered.edges_note" if two else "mattered.edges_note_of_text")))
    every = _maps(view, attentions(view.run.info.config), "edges", key=_KEY)
    if every:
        _show_every(view, every)
    selection = current_selection(view.run)
    sublayer = weights_name(selection.kind, selection.layer).removesuffix(".weights")
    st.html(tokens.heading(say("mattered.one_attention")))
    choose_head(view.run, selection)
    parts = (Part(sublayer), Part(sublayer, selection.head))
    if found := _maps(view, parts, "one", key=f"{_KEY}_one"):
        _show_maps(view, found, key="edges_one")
    st.html(tokens.note(say("mattered.edges_caution")))


def _show_every(view: View, maps: tuple[EdgeMap, ...]) -> None:
    if strongest := _strongest(view, maps):
        st.html(tokens.note(say("mattered.edges_lead")))
        st.html(listed(strongest))
    else:
        st.html(tokens.note(say("mattered.no_edge")))
    _show_maps(view, maps, key="edges")


def _show_maps(view: View, maps: tuple[EdgeMap, ...], *, key: str) -> None:
    drawn = [_panel(view, one) for one in maps]
    show_panels(drawn, key=key, width=_WIDTH, height=_HIGHEST, cell=_CELL)


def _maps(
    view: View, parts: tuple[Part, ...], what: str, *, key: str
) -> tuple[EdgeMap, ...] | None:
    """Return what every edge costs: at once where that is quick, else when it was asked for."""
    cut = edges_of(view.run, parts)
    if sweep_bytes(view.run.info.config, view.run, len(cut)) <= AT_ONCE_BYTES:
        return cache.edge_maps(view, parts)
    if view.inputs.interventions:
        st.html(tokens.note(say("mattered.too_many_edges")))
        return None
    request = cache.edges_request(view, cut)
    found = measured(request, what, say("mattered.offer_edges", count=len(cut)), key=key)
    return None if found is None else map_edges(view.run, cut, found)


def _panel(view: View, one: EdgeMap) -> Panel:
    part = Part(one.sublayer, one.head)
    kind = kind_of(part)
    assert kind is not None
    rows, columns = axis_tokens(view.run, kind)
    row_title, column_title = axis_titles(kind, view.parcel.languages)
    return Panel(
        title=attention_title(part),
        values=np.nan_to_num(one.damage),
        scale="signed",
        note=words.panel_note(float(np.nanmax(one.damage, initial=0.0))),
        group=kind,
        row_tokens=rows,
        column_tokens=columns,
        row_title=row_title,
        column_title=column_title,
        masked=np.isnan(one.damage),
        reach=_REACH,
    )


def _strongest(view: View, maps: tuple[EdgeMap, ...]) -> list[Markup]:
    """State which edges cost most, and what is written first without each."""
    told: list[Markup] = []
    for edge, damage in strongest_edges(maps, _TOLD):
        part = Part(edge.sublayer)
        kind = kind_of(part)
        assert kind is not None
        rows, columns = axis_tokens(view.run, kind)
        change = cache.first_change(view, edge)
        reader = rows[edge.row], view.run.anatomy.site(kind).rows == "writes"
        told.append(
            words.edge_words(reader, columns[edge.key], attention_name(part), damage, change)
        )
    return told
