"""The first picture of the page: how this model knows each position."""

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.address.selection import Selection
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.positions.kinds import angles
from viz.subjects.positions.pictures import show_map
from viz.subjects.positions.sections.encoding import (
    asked_table,
    length_key,
    picked_number,
    words_read,
)
from viz.subjects.positions.sections.kinds import show_added
from viz.subjects.positions.words.kinds import say_turn


def show_positions(view: View, selection: Selection, *, is_picking: bool) -> None:
    """Show the encoding, or how this model knows the order of words; nothing if it does not.

    Args:
        view: The view of the run.
        selection: It names the head in front, if heads differ.
        is_picking: Whether one number is worked out, and so framed.
    """
    kind = view.run.anatomy.positions
    if kind == "none":
        return
    with st.container(border=True, key="card_positions_map", gap="small"):
        match kind:
            case "rotary":
                _show_angles(view)
            case "alibi" | "relative":
                show_added(view, selection)
            case _:
                _show_vectors(view, is_picking)


def _show_vectors(view: View, is_picking: bool) -> None:
    table = asked_table(view)
    size = f"{table.length} × {table.d_model}"
    st.html(tokens.heading(say("positions.all_numbers"), shape=size))
    show_map(
        table.values,
        kind="encoding",
        words=words_read(view),
        picked=picked_number(view.run, table) if is_picking else None,
        key="positions_map",
    )
    _choose_side(view)
    halves = view.run.info.config.positions == "sinusoidal_halves"
    said = [say("positions.map_note"), *([say("positions.halves")] * halves)]
    st.html(tokens.note(" ".join(said)))


def _show_angles(view: View) -> None:
    config = view.run.info.config
    shown = angles(config, st.session_state[length_key(view)])
    st.html(tokens.heading(say("positions.angles"), shape=f"{len(shown)} × {shown.shape[1]}"))
    degrees = np.degrees(shown) % 360
    show_map(degrees, kind="angles", words=words_read(view), key="positions_angles")
    st.html(tokens.note(say_turn(config, float(shown[1, -1]))))


def _choose_side(view: View) -> None:
    """Let the reader choose the text, if each has its own positions."""
    sides = view.run.anatomy.sides
    if view.run.info.config.positions == "learned" and len(sides) > 1:
        choose_one(
            say("positions.side"),
            sides,
            lambda name: say_of("positions.text_of", name),
            key="positions_side",
        )
