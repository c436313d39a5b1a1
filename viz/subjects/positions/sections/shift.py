"""Pairs of dimensions as points, and what a step of k positions does to them."""

import numpy as np
import streamlit as st

from texts import say
from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.run.address import bound
from viz.subjects.positions import latex
from viz.subjects.positions.figures.rotation import circles, turn_lines
from viz.subjects.positions.geometry import Turn, turn
from viz.subjects.positions.sections.fields import choose_below
from viz.subjects.positions.table import PositionTable
from viz.subjects.positions.words.sentences import rotation_badge, say_rotation, turn_title

_MOST_PAIRS = 3
_SHIFT = 3


def show_shift(table: PositionTable, picked: int) -> None:
    """Draw some pairs in their planes, and say whether the shift is a rotation."""
    with st.container(horizontal=True, gap="medium"):
        shift, last = 1, table.length - 1
        if last > 1:
            shift = choose_below(
                say("positions.shift"),
                1,
                last,
                min(_SHIFT, last),
                key="positions_shift",
                width=280,
            )
        pairs = _choose_pairs(table.d_model)
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
    left, right = st.columns(2, gap="medium")
    with left:
        _show_angles(turns)
    with right:
        _show_turned(table, turns, position)


def _choose_pairs(d_model: int) -> list[int]:
    count = d_model // 2
    usual = sorted({0, count // 8, count // 4})
    pairs = st.multiselect(
        say("positions.pairs", most=_MOST_PAIRS),
        range(count),
        max_selections=_MOST_PAIRS,
        key=bound("positions_pairs", usual, range(count), _name_pair),
        format_func=_name_pair,
    )
    return sorted(pairs) or [0]


def _name_pair(pair: int) -> str:
    return say("positions.pair_option", pair=pair, even=2 * pair, odd=2 * pair + 1)


def _show_angles(turns: list[Turn]) -> None:
    """Draw the angle at every position."""
    shift = turns[0].shift
    st.html(tokens.heading(say("positions.turns", shift=shift)))
    show_figure(
        turn_lines(
            [np.degrees(t.angles) for t in turns],
            pairs=[t.pair for t in turns],
            shift=shift,
            palette=palette(),
        ),
        key="positions_turns",
        alt=say("positions.turns_alt", shift=shift),
    )


def _show_turned(table: PositionTable, turns: list[Turn], position: int) -> None:
    """Multiply one pair by its rotation, and check that one rotation does for all positions."""
    first = turns[0]
    if not first.is_rotation or first.is_empty:
        st.html(tokens.heading(say("positions.is_it_rotation")))
    else:
        st.html(tokens.heading(say("positions.pair_turned", pair=first.pair, position=position)))
        st.latex(latex.turned(table, first.pair, position, first.shift, first.angle))
    st.html(tokens.badges(map(rotation_badge, turns)) + tokens.note(say_rotation(turns)))
