"""The choice of a decoding strategy."""

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
"""Whether the target of the previous run was given, because the default strategy depends on it."""
_WIDTH, _PENALTY = 4, 0.6
"""The default width of the beam."""
_PENALTY_STEP = 0.1


def choose_strategy(view: View, choices: Choices) -> Strategy:
    """Let the reader choose: greedy decoding, a sample, a beam, or the given target."""
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
