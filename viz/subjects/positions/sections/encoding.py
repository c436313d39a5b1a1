"""All numbers of an encoding, and beside them how one of them is made."""

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.pictures.numbers import error_text
from viz.run.record import Run
from viz.subjects.positions import latex
from viz.subjects.positions.figures.encoding import encoding_map
from viz.subjects.positions.lengths import Text, embedding_trace
from viz.subjects.positions.sections.fields import choose_below
from viz.subjects.positions.table import PositionTable

_ROUNDING = 1e-6
"""What float32 may differ by, of numbers up to 1."""


def show_encoding(run: Run, table: PositionTable, text: Text) -> tuple[int, int]:
    """Show all numbers, and beside them how one of them is made. Gives the picked one."""
    drawn, computed = st.columns([3, 2], gap="medium")
    with computed:
        st.html(tokens.heading(say("positions.one_number")))
        position, dimension = _pick(run, table)
        st.latex(latex.general(table))
        st.latex(latex.worked(table, position, dimension))
        _check_against_run(run, table, text, position, dimension)
    with drawn:
        size = f"{table.length} × {table.d_model}"
        st.html(tokens.heading(say("positions.all_numbers"), shape=size))
        show_figure(
            encoding_map(table.values, picked=(position, dimension), palette=palette()),
            key="positions_map",
            alt=say("positions.map_alt", length=table.length, count=table.d_model),
        )
    return position, dimension


def _pick(run: Run, table: PositionTable) -> tuple[int, int]:
    last, deepest = table.length - 1, table.d_model - 1
    middle = min(len(run.source.tokens) // 2, last)
    position = choose_below(say("positions.pos"), 0, last, middle, key="positions_pos")
    first = min(table.d_model // 8, deepest)
    return position, choose_below(say("positions.dim"), 0, deepest, first, key="positions_dim")


def _check_against_run(
    run: Run, table: PositionTable, text: Text, position: int, dimension: int
) -> None:
    """Compare the number with what the run added, where it is the run's own formula."""
    config = run.info.config
    captured = embedding_trace(run, text).positions.numpy()
    if config.positions == "sinusoidal_halves":
        halves = np.split(captured, 2, axis=1)
        captured = np.stack(halves, axis=-1).reshape(captured.shape)
    own = "sinusoidal" if config.positions == "sinusoidal_halves" else config.positions
    if table.kind != own:
        st.html(tokens.note(say("positions.not_compared")))
    elif position >= len(captured):
        st.html(tokens.note(say_of("positions.ends_at", text, last=len(captured) - 1)))
    else:
        error = abs(float(table.values[position, dimension] - captured[position, dimension]))
        name = f"{text}_embedding.positions[{position}, {dimension}]"
        words = say("positions.equals", name=name)
        st.html(tokens.badges([(error < _ROUNDING, words, error_text(error))]))
