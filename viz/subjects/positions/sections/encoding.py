"""The encoding of the run's model: how one number is computed, its waves, and a shift."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
from jaxtyping import Float

from model.config import Side
from model.traces import present
from texts import say, say_of
from viz.address.address import bound
from viz.frame.figure import palette, show_figure
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.numbers import error_text
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.positions import latex
from viz.subjects.positions.figures.rotation import circles
from viz.subjects.positions.geometry import turn
from viz.subjects.positions.pictures import PICKED, show_waves
from viz.subjects.positions.table import PositionTable, formula_table
from viz.subjects.positions.words.sentences import (
    describe,
    rotation_badge,
    say_rotation,
    turn_title,
)

_ROUNDING = 1e-6
"""The rounding error of float32 in numbers up to 1."""
USUAL_ROWS, MOST_ROWS = 64, 512
"""The number of positions drawn at first, unless the text has more, and at most."""
_SHIFT = 3
"""The number of positions of the first shift, unless the text has fewer."""


def show_encoding(view: View) -> None:
    """Show how one number is computed, step by step; then the waves, or a shift."""
    run = view.run
    table = asked_table(view)
    choices, formulas = st.columns([2, 3], gap="medium")
    with choices:
        choose_rows(view)
        position, dimension = _pick(run, table)
        _check_against_run(run, table, asked_side(view), position, dimension)
    with formulas:
        st.html(tokens.note(describe(table)))
        st.latex(latex.general(table))
        st.latex(latex.worked(table, position, dimension))
    shown = {"waves": partial(_show_waves, words_read(view)), "shift": _show_shift}
    chosen = choose_one(
        say("positions.closer"),
        [*shown],
        lambda name: say_of("positions.closer_at", name),
        key="positions_closer",
        is_named=False,
    )
    shown[chosen](table, position, dimension)


def asked_side(view: View) -> Side:
    """Return the text whose positions are shown; a formula is the same for both."""
    sides = view.run.anatomy.sides
    if view.run.info.config.positions != "learned":
        return sides[0]
    return st.session_state[bound("positions_side", sides[0], sides)]


def asked_table(view: View) -> PositionTable:
    """Compute the encoding of the run's model for the chosen number of positions."""
    kind = view.run.info.config.positions
    count = st.session_state[length_key(view)]
    if kind == "learned":
        return PositionTable("learned", _learned(view)[:count])
    formula = "sinusoidal" if kind == "sinusoidal_halves" else kind
    return formula_table(formula, count, view.run.info.config.d_model)


def length_key(view: View) -> str:
    """Set the number of positions unless the reader or a link has; return the key of its field."""
    least, most = _rows_within(view)
    usual = min(max(USUAL_ROWS, text_length(view.run)), most)
    return bound("positions_length", usual, within=(least, most))


def choose_rows(view: View) -> None:
    """Let the reader choose the number of rows of the opening picture."""
    key, (least, most) = length_key(view), _rows_within(view)
    st.number_input(say("positions.rows"), least, most, key=key, width=210)


def _rows_within(view: View) -> tuple[int, int]:
    """Return the least and the largest number of positions."""
    is_learned = view.run.info.config.positions == "learned"
    return 2, max(2, min(MOST_ROWS, len(_learned(view)) if is_learned else MOST_ROWS))


def text_length(run: Run) -> int:
    """Count the positions that a run used: those of its longer text, and at least two."""
    return max(2, len(run.source.tokens), len(run.steps))


def _learned(view: View) -> Float[np.ndarray, "position d_model"]:
    """Take the learned positions of one text from the run's own model."""
    learned = present(view.model.embedding_of(asked_side(view)).learned)
    rows = learned.weight[view.run.info.config.position_offset :]
    return rows.detach().cpu().double().numpy()


def words_read(view: View) -> tuple[str, ...]:
    """List the tokens that the model read at the first positions."""
    side = asked_side(view)
    count = view.run.trace.embedding_of(side).output.size(1)
    return tuple(view.run.texts[side][:count])


def picked_number(run: Run, table: PositionTable) -> tuple[int, int]:
    """Return the position and dimension of the worked example."""
    position, dimension = (
        st.session_state[bound(key, first, within=(0, last))]
        for key, first, last in _choices(run, table)
    )
    return position, dimension


def _choices(run: Run, table: PositionTable) -> tuple[tuple[str, int, int], tuple[str, int, int]]:
    """Return the field, the first value and the largest value of each choice."""
    last, deepest = table.length - 1, table.d_model - 1
    position, dimension = PICKED
    return (
        (position, min(len(run.source.tokens) // 2, last), last),
        (dimension, min(table.d_model // 8, deepest), deepest),
    )


def _pick(run: Run, table: PositionTable) -> tuple[int, int]:
    for (key, first, last), name in zip(_choices(run, table), ("pos", "dim"), strict=True):
        field = bound(key, first, within=(0, last))
        st.slider(say_of("positions.at", name), 0, last, key=field)
    return picked_number(run, table)


def _show_waves(words: Sequence[str], table: PositionTable, position: int, dimension: int) -> None:
    d_model = table.d_model
    usual = {0, 1, d_model // 8, d_model // 4, d_model // 2, d_model - 1}
    dimensions = sorted(usual | {dimension})
    show_waves(table, dimensions, words=words, picked=(position, dimension))


def _show_shift(table: PositionTable, picked: int, _dimension: int) -> None:
    """Draw some pairs in their planes, and say whether the shift is a rotation."""
    last = table.length - 1
    shift = 1
    if last > 1:
        key = bound("positions_shift", min(_SHIFT, last), within=(1, last))
        shift = st.slider(say("positions.shift"), 1, last, key=key, width=280)
    count = table.d_model // 2
    pairs = sorted({0, count // 8, count // 4})
    position = min(picked, last - shift)
    turns = [turn(table.values, pair, shift) for pair in pairs]
    show_figure(
        circles(
            [t.points for t in turns],
            pairs=pairs,
            position=position,
            shift=shift,
            titles=[turn_title(table, t) for t in turns],
            angles=[t.angle if t.is_rotation and not t.is_empty else None for t in turns],
            palette=palette(),
        ),
        key="positions_circles",
        alt=say("positions.circles_alt", position=position, shift=shift),
    )
    st.html(tokens.badges(map(rotation_badge, turns)) + tokens.note(say_rotation(turns)))


def _check_against_run(
    run: Run, table: PositionTable, text: Side, position: int, dimension: int
) -> None:
    """Compare the number with the one that the run added, if it is the run's own formula."""
    config = run.info.config
    captured = run.trace.embedding_of(text).positions.numpy()
    if config.positions == "sinusoidal_halves":
        halves = np.split(captured, 2, axis=1)
        captured = np.stack(halves, axis=-1).reshape(captured.shape)
    if position >= len(captured):
        st.html(tokens.note(say("positions.ends_at", last=len(captured) - 1)))
    else:
        error = abs(float(table.values[position, dimension] - captured[position, dimension]))
        name = f"{text}_embedding.positions[{position}, {dimension}]"
        words = say("positions.equals", name=name)
        st.html(tokens.badges([(error < _ROUNDING, words, error_text(error))]))
