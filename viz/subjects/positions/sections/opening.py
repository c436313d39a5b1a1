"""The first picture of the page: what tells this model the place of a word, for each position."""

import streamlit as st

from texts import say, say_of
from viz.address.selection import Selection
from viz.frame.figure import palette, show_figure
from viz.frame.link_choices import choose_one
from viz.frame.presenting import is_presenting
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.positions.figures.encoding import MOST_WORDS, encoding_map
from viz.subjects.positions.figures.kinds import angle_map
from viz.subjects.positions.kinds import angles
from viz.subjects.positions.sections.encoding import (
    asked_side,
    asked_table,
    length_key,
    picked_number,
)
from viz.subjects.positions.sections.kinds import show_added
from viz.subjects.positions.words.kinds import say_turn

_MOST_IN_A_ROOM = 15
"""Words beside a map in presenter mode, whose type is larger."""


def show_positions(view: View, selection: Selection, *, is_picking: bool) -> None:
    """Show the encoding, or what tells this model the order of words; nothing if nothing does.

    Args:
        view: Of the run.
        selection: Names the head in front, if heads differ.
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
    show_figure(
        encoding_map(
            table.values,
            words=_words(view),
            most_words=_most_words(),
            picked=picked_number(view.run, table) if is_picking else None,
            palette=palette(),
        ),
        key="positions_map",
        alt=say("positions.map_alt", length=table.length, count=table.d_model),
        width="stretch",
    )
    _choose_side(view)
    halves = view.run.info.config.positions == "sinusoidal_halves"
    said = [say("positions.map_note"), *([say("positions.halves")] * halves)]
    st.html(tokens.note(" ".join(said)))


def _show_angles(view: View) -> None:
    config = view.run.info.config
    shown = angles(config, st.session_state[length_key(view)])
    st.html(tokens.heading(say("positions.angles"), shape=f"{len(shown)} × {shown.shape[1]}"))
    show_figure(
        angle_map(shown, words=_words(view), most_words=_most_words(), palette=palette()),
        key="positions_angles",
        alt=say("positions.angles"),
        width="stretch",
    )
    st.html(tokens.note(say_turn(config, float(shown[1, -1]))))


def _choose_side(view: View) -> None:
    """Let the text be chosen if each has positions of its own."""
    sides = view.run.anatomy.sides
    if view.run.info.config.positions == "learned" and len(sides) > 1:
        choose_one(
            say("positions.side"),
            sides,
            lambda name: say_of("positions.text_of", name),
            key="positions_side",
        )


def _words(view: View) -> tuple[str, ...]:
    """List the tokens that the model read at the first positions."""
    side = asked_side(view)
    count = view.run.trace.embedding_of(side).output.size(1)
    return tuple(view.run.texts[side][:count])


def _most_words() -> int:
    return _MOST_IN_A_ROOM if is_presenting() else MOST_WORDS
