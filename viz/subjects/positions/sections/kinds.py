"""Positions that are not vectors: how queries and keys are rotated, or scores changed."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from model.anatomy import Site
from texts import say
from viz.address.selection import Selection
from viz.frame.figure import palette, show_figure
from viz.frame.head_choice import choose_head
from viz.pictures import tokens
from viz.pictures.html_table import table
from viz.pictures.numbers import error_text, number_text
from viz.run.axes import attention_name, attention_trace, axis_tokens
from viz.run.view import View
from viz.subjects.positions.figures.kinds import distance_line, head_lines
from viz.subjects.positions.kinds import added_by_distance, moved_apart
from viz.subjects.positions.sections.encoding import choose_rows, text_length
from viz.subjects.positions.words.kinds import say_apart, say_slopes

_SAME = 1e-3
"""The rounding error in single precision between two ways to the same score."""
_LEAST = 32
"""The number of distances drawn, even for a short text."""
_MOST = 256


def show_turn(view: View, selection: Selection) -> None:
    """Show how rotary positions change the score of one cell at other distances."""
    length = min(max(text_length(view.run), _LEAST), _MOST)
    choose_rows(view)
    choose_head(view.run, selection, named="positions_of")
    rows, columns = axis_tokens(view.run, selection.kind)
    both_ways = not view.run.anatomy.site(selection.kind).causal
    apart = moved_apart(
        view.run.info.config,
        attention_trace(view.run, selection.kind, selection.layer),
        selection.head,
        (selection.query, selection.key),
        range(1 - length if both_ways else 0, length),
    )
    st.html(tokens.heading(say("positions.by_distance")))
    show_figure(
        distance_line(
            apart.distances, apart.scores, here=(apart.here, apart.score), palette=palette()
        ),
        key="positions_apart",
        alt=say("positions.by_distance"),
    )
    path = f"{attention_name(selection.kind, selection.layer)}[{selection.head}]"
    said = say_apart(rows[selection.query], columns[selection.key], path)
    badge = (apart.error < _SAME, say("positions.stays_badge"), error_text(apart.error))
    st.html(tokens.badges([badge]) + tokens.note(said))


def show_added(view: View, selection: Selection) -> None:
    """Show the number that each head adds to a score for the distance."""
    distances, added = _added(view, selection)
    st.html(tokens.heading(say("positions.bias_heading")))
    show_figure(
        head_lines(np.array(distances), added, picked=selection.head, palette=palette()),
        key="positions_added",
        alt=say("positions.bias_heading"),
        width="stretch",
    )
    choose_head(view.run, selection, named="positions_of")
    st.html(tokens.note(say_slopes(view.run.anatomy.positions)))


def show_added_numbers(view: View, selection: Selection) -> None:
    """Compare the numbers of the heads with those of this run; list the slopes of ALiBi."""
    distances, added = _added(view, selection)
    bias = attention_trace(view.run, _biased_site(view, selection).name, 0).bias
    if bias is None:
        return
    shown = bias[0].double().numpy()
    query, key = np.indices(shown.shape[1:])
    known = np.isin(query - key, distances)
    expected = added[:, np.clip(query - key - distances[0], 0, len(distances) - 1)]
    error = float(np.abs(expected - shown)[:, known].max())
    st.html(tokens.badges([(error < _SAME, say("positions.bias_badge"), error_text(error))]))
    if view.run.anatomy.positions == "alibi":
        slopes = [(f"{head}", number_text(-float(row[1]))) for head, row in enumerate(added)]
        header = (say("positions.slopes_head"), say("positions.slopes_falls"))
        st.html(table(header, slopes, numeric=(1,)))


def _added(view: View, selection: Selection) -> tuple[range, Float[np.ndarray, "head distance"]]:
    site = _biased_site(view, selection)
    length = min(max(text_length(view.run), _LEAST), _MOST)
    distances = range(0 if site.causal else 1 - length, length)
    return distances, added_by_distance(view.model, site.queries, distances)


def _biased_site(view: View, selection: Selection) -> Site:
    """Choose the selected attention if it has such numbers, or else the first one that has."""
    biased = [site for site in view.run.anatomy.sites if site.bias]
    return next((site for site in biased if site.name == selection.kind), biased[0])
