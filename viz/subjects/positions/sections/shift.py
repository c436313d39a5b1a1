"""Pairs of dimensions as points, and what a step of k positions does to them."""

import streamlit as st

from texts import say
from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.run.address import bound
from viz.subjects.positions.figures.rotation import circles
from viz.subjects.positions.geometry import turn
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
    st.html(tokens.badges(map(rotation_badge, turns)) + tokens.note(say_rotation(turns)))


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
