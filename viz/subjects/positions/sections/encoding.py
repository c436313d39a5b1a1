"""The encoding of the run's model: its numbers, how one is made, its waves, and a shift."""

import numpy as np
import streamlit as st

from model.config import Side
from model.traces import present
from texts import listed, say, say_of
from viz.frame.controls import palette, show_figure
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.pictures.numbers import error_text
from viz.run.address import bound
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.positions import latex
from viz.subjects.positions.figures.encoding import encoding_map
from viz.subjects.positions.figures.waves import Curve, wave_strips
from viz.subjects.positions.sections.shift import show_shift
from viz.subjects.positions.table import PositionTable, formula_table, waves
from viz.subjects.positions.words.sentences import describe

_ROUNDING = 1e-6
"""What float32 may differ by, of numbers up to 1."""
_LENGTHS = (2, 512)
"""Positions drawn, at least and at most."""
_BETWEEN = 12
"""Points of a drawn wave between two positions, at most."""
_MOST_POINTS = 4000


def show_encoding(view: View) -> None:
    """Show all numbers, and beside them how one of them is made; then its waves, or a shift."""
    run = view.run
    table, text = _table(view)
    drawn, computed = st.columns([3, 2], gap="medium")
    with computed:
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
    shown = {"waves": _show_waves, "shift": show_shift}
    chosen = choose_one(
        say("positions.closer"),
        [*shown],
        lambda name: say_of("positions.closer_at", name),
        key="positions_closer",
        is_named=False,
    )
    shown[chosen](table, position)


def _table(view: View) -> tuple[PositionTable, Side]:
    """Write the encoding of the run's model out, for as many positions as are asked for.

    Gives the encoding and the text that it is for: a formula is the same for both.
    """
    run, kind = view.run, view.run.info.config.positions
    if kind == "sinusoidal_halves":
        st.html(tokens.note(say("positions.halves")))
        kind = "sinusoidal"
    if kind == "learned":
        return _choose_learned(view)
    table = formula_table(kind, _choose_length(run), run.info.config.d_model)
    st.html(tokens.note(describe(table)))
    return table, run.anatomy.sides[0]


def text_length(run: Run) -> int:
    """Count the positions that a run used: those of its longer text, and two at least."""
    return max(2, len(run.source.tokens), len(run.steps))


def _choose_length(run: Run) -> int:
    own = text_length(run)
    given = st.number_input(
        say("positions.positions"),
        *_LENGTHS,
        None,
        placeholder=say("positions.of_run", number=own),
        key=bound("positions_length", None, within=_LENGTHS),
        width=210,
    )
    return own if given is None else int(given)


def _choose_learned(view: View) -> tuple[PositionTable, Side]:
    """Take the learned positions of one side of the run's own model."""
    text: Side = choose_one(
        say("positions.side"),
        view.run.anatomy.sides,
        lambda name: say_of("positions.text_of", name),
        key="positions_side",
    )
    learned = present(view.model.embedding_of(text).learned)
    rows = learned.weight[view.run.info.config.position_offset :]
    whole = PositionTable("learned", rows.detach().cpu().double().numpy())
    table = PositionTable("learned", whole.values[: _choose_length(view.run)])
    st.html(tokens.note(describe(whole)))
    return table, text


def _pick(run: Run, table: PositionTable) -> tuple[int, int]:
    def below(name: str, most: int, first: int) -> int:
        """Ask for a number up to `most`; where there were more, the last one."""
        key = bound(f"positions_{name}", first, within=(0, most))
        return st.slider(say_of("positions.at", name), 0, most, key=key)

    last, deepest = table.length - 1, table.d_model - 1
    position = below("pos", last, min(len(run.source.tokens) // 2, last))
    return position, below("dim", deepest, min(table.d_model // 8, deepest))


def _show_waves(table: PositionTable, position: int) -> None:
    d_model = table.d_model
    dimensions = sorted({0, 1, d_model // 8, d_model // 4, d_model // 2, d_model - 1})
    show_figure(
        wave_strips(
            table.values[:, dimensions],
            dimensions=dimensions,
            wave=_curve(table, dimensions),
            picked=position,
            palette=palette(),
        ),
        key="positions_wave_strips",
        alt=say("positions.strips_alt", dimensions=listed([*map(str, dimensions)])),
    )


def _curve(table: PositionTable, dimensions: list[int]) -> Curve | None:
    """Evaluate the formula between the positions too, where there is one."""
    if table.frequencies is None:
        return None
    last = table.length - 1
    points = last * min(_BETWEEN, _MOST_POINTS // table.length) + 1
    places = np.linspace(0, last, points)
    return places, waves(table.kind, places, table.d_model, table.base)[:, dimensions]


def _check_against_run(
    run: Run, table: PositionTable, text: Side, position: int, dimension: int
) -> None:
    """Compare the number with what the run added, where it is the run's own formula."""
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
