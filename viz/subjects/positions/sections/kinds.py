"""Positions that are no vectors: how queries and keys are turned, or what scores are given."""

import numpy as np
import streamlit as st

from texts import say
from viz.frame.controls import choose_head, palette, show_figure
from viz.pictures import tokens
from viz.pictures.html_table import table
from viz.pictures.numbers import error_text, number_text
from viz.run.record import attention_name, attention_trace, axis_tokens
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.positions.figures.kinds import angle_map, distance_line, head_lines
from viz.subjects.positions.kinds import added_by_distance, angles, moved_apart
from viz.subjects.positions.sections.encoding import text_length
from viz.subjects.positions.words.kinds import say_apart, say_slopes, say_turn

_SAME = 1e-3
"""What single precision may differ by between two ways to the same score."""
_LEAST = 32
"""Distances that are drawn, even of a short text."""
_MOST = 256


def show_turn(view: View, selection: Selection) -> None:
    """Show by how much rotary positions turn, and the score of one cell at other distances."""
    config = view.run.info.config
    length = min(max(text_length(view.run), _LEAST), _MOST)
    all_angles = angles(config, length)
    choose_head(view.run, selection, named="positions_of")
    rows, columns = axis_tokens(view.run, selection.kind)
    st.html(tokens.note(say_turn(config, float(all_angles[1, -1]))))
    both_ways = not view.run.anatomy.site(selection.kind).causal
    apart = moved_apart(
        config,
        attention_trace(view.run, selection.kind, selection.layer),
        selection.head,
        (selection.query, selection.key),
        range(1 - length if both_ways else 0, length),
    )
    with st.container(horizontal=True, gap="medium"):
        with st.container(width="content"):
            st.html(tokens.heading(say("positions.angles")))
            show_figure(
                angle_map(all_angles, picked=selection.query, palette=palette()),
                key="positions_angles",
                alt=say("positions.angles"),
            )
        with st.container(width="content"):
            st.html(tokens.heading(say("positions.by_distance")))
            show_figure(
                distance_line(
                    apart.distances,
                    apart.scores,
                    here=(apart.here, apart.score),
                    palette=palette(),
                ),
                key="positions_apart",
                alt=say("positions.by_distance"),
            )
    path = f"{attention_name(selection.kind, selection.layer)}[{selection.head}]"
    said = say_apart(rows[selection.query], columns[selection.key], path)
    badge = (apart.error < _SAME, say("positions.stays_badge"), error_text(apart.error))
    st.html(tokens.badges([badge]) + tokens.note(said))


def show_added(view: View, selection: Selection) -> None:
    """Show what each head adds to a score for the distance, and what it added in this run."""
    anatomy = view.run.anatomy
    biased = [site for site in anatomy.sites if site.bias]
    site = next((site for site in biased if site.name == selection.kind), biased[0])
    choose_head(view.run, selection, named="positions_of")
    length = min(max(text_length(view.run), _LEAST), _MOST)
    distances = range(0 if site.causal else 1 - length, length)
    added = added_by_distance(view.model, site.queries, distances)
    st.html(tokens.note(say_slopes(anatomy.positions)))
    show_figure(
        head_lines(np.array(distances), added, picked=selection.head, palette=palette()),
        key="positions_added",
        alt=say("positions.bias_fold"),
    )
    bias = attention_trace(view.run, site.name, 0).bias
    if bias is None:
        return
    shown = bias[0].double().numpy()
    query, key = np.indices(shown.shape[1:])
    known = np.isin(query - key, distances)
    expected = added[:, np.clip(query - key - distances[0], 0, len(distances) - 1)]
    error = float(np.abs(expected - shown)[:, known].max())
    st.html(tokens.badges([(error < _SAME, say("positions.bias_badge"), error_text(error))]))
    if anatomy.positions == "alibi":
        slopes = [(f"{head}", number_text(-float(row[1]))) for head, row in enumerate(added)]
        header = (say("positions.slopes_head"), say("positions.slopes_falls"))
        st.html(table(header, slopes, numeric=(1,)))
