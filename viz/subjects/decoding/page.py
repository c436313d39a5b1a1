"""Decoding: the next token's distribution at each step, other choices, the beam, every depth."""

from functools import partial

import streamlit as st

from texts import say
from viz.address.address import page_part
from viz.address.link import follow_selection
from viz.frame.dials import show_dials
from viz.frame.expander import fold
from viz.pictures.freshness import show_made_for
from viz.run.requirements import all_of, running_again, writing
from viz.run.view import View
from viz.subjects.decoding.actions import BRANCHES
from viz.subjects.decoding.cache import lens_parcel
from viz.subjects.decoding.choices import Choices, explores, follow_choices
from viz.subjects.decoding.packing import pack_tree
from viz.subjects.decoding.pictures import Played, show_lens, show_tree
from viz.subjects.decoding.sections.branches import compare_branches
from viz.subjects.decoding.sections.introduction import show_answer, telling_step
from viz.subjects.decoding.sections.player import find_played, play, say_what_is_odd
from viz.subjects.decoding.sections.strategy import choose_strategy
from viz.subjects.decoding.strategy import Strategy

URL = "decoding"
NEEDS = all_of(writing, running_again)


@page_part
def render(view: View) -> None:
    """Play a decoding step by step, take other tokens, and see what else the model weighed."""
    if explores():
        st.rerun()
    selection = follow_selection(view.run, view.parcel.key, URL, step=telling_step(view.run))
    choices, notes = follow_choices(view.parcel.key)
    opening = st.container(key="decoding_said")
    with st.container(border=True, key="card_decoding_player", gap="small"):
        place, player = st.container(key="decoding_odd"), st.container()
        strategy = choose_strategy(view, choices)
        with player:
            choices, played = find_played(view, strategy, choices, notes)
            play(view, strategy, choices, selection, played)
        say_what_is_odd(view, place, played)
    with opening:
        show_answer(view, strategy, played)
    made_for: dict[str, str | int] = {"run": view.parcel.key}
    show_made_for(made_for, "decoding_said", "decoding_odd", key="made_decoding")
    if played.path.search:
        with st.container(border=True, key="card_decoding_tree", gap="small"):
            show_tree(pack_tree(view.run, played.path))
    _show_more(view, strategy, choices, played)


def _show_more(view: View, strategy: Strategy, choices: Choices, played: Played) -> None:
    def show_depths() -> None:
        show_lens(lens_parcel(view, strategy, choices.branch, played.key))

    with st.container(key="folds_decoding"):
        fold(
            say("decoding.branches_fold"),
            partial(compare_branches, view, strategy, choices, played),
            key=BRANCHES,
            asked_by=("branches",),
        )
        fold(say("decoding.lens_fold"), show_depths, key="decoding_lens")
        names = ("temperature", "decoder_layers", "encoder_layers")
        fold(say("decoding.dials_fold"), partial(show_dials, view, names), key="decoding_dials")
