"""Pairs of dimensions as points, and what a step of k positions does to them."""

import streamlit as st

from texts import say
from viz.address.address import bound
from viz.frame.figure import palette, show_figure
from viz.pictures import tokens
from viz.subjects.positions.figures.rotation import circles
from viz.subjects.positions.geometry import turn
from viz.subjects.positions.table import PositionTable
from viz.subjects.positions.words.sentences import rotation_badge, say_rotation, turn_title

_SHIFT = 3


def show_shift(table: PositionTable, picked: int) -> None:
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
