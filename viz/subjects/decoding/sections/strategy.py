"""The choice of how the target is written."""

from typing import cast

import streamlit as st

from texts import say, say_of
from viz.address.address import bound
from viz.frame.link_choices import choose_one
from viz.run.view import View
from viz.subjects.decoding.actions import write_otherwise
from viz.subjects.decoding.choices import Choices
from viz.subjects.decoding.strategy import PENALTIES, WIDTHS, Mode, Strategy

_MODE = "decoding"
_WAS_GIVEN = "decoding_was_given"
"""Whether the target of the run before was given: what is played changes with it."""
_WIDTH, _PENALTY = 4, 0.6
"""Of the beam, to begin with."""
_PENALTY_STEP = 0.1


def choose_strategy(view: View, choices: Choices) -> Strategy:
    """Let the way of writing be chosen: the model's own, a sample, a beam, or what was given."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        mode = _choose_mode(given=view.run.given)
        if mode == "Sampling":
            return Strategy(mode, choices.drawn, choices.seed)
        if mode == "Beam":
            return _choose_beam()
    return Strategy(mode)


def _choose_mode(*, given: bool) -> Mode:
    modes: tuple[Mode, ...] = ("Greedy", "Sampling", "Beam")
    if given:
        modes = ("Given", *modes)
    if st.session_state.get(_WAS_GIVEN, given) != given:
        st.session_state[_MODE] = modes[0]
    st.session_state[_WAS_GIVEN] = given
    chosen = choose_one(
        say("decoding.written_by"),
        modes,
        lambda mode: say_of("decoding.mode", mode),
        key=_MODE,
        on_change=write_otherwise,
        is_named=False,
    )
    return cast("Mode", chosen)


def _choose_beam() -> Strategy:
    width = st.slider(
        say("decoding.width"),
        *WIDTHS,
        key=bound("beam_width", _WIDTH, within=WIDTHS),
        on_change=write_otherwise,
        width=200,
    )
    penalty = st.slider(
        say("decoding.penalty"),
        *PENALTIES,
        step=_PENALTY_STEP,
        key=bound("length_penalty", _PENALTY, within=PENALTIES),
        on_change=write_otherwise,
        width=200,
        help=say("decoding.penalty_help"),
    )
    return Strategy("Beam", width=width, length_penalty=penalty)
