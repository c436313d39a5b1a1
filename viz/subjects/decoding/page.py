"""Decoding: the next token's distribution at each step, other choices, the beam, every depth."""

import streamlit as st

from viz.pictures import tokens
from viz.run.link import follow_selection
from viz.run.view import View
from viz.subjects.decoding import words
from viz.subjects.decoding.actions import pick_hypothesis
from viz.subjects.decoding.cache import lens_parcel, tree_parcel
from viz.subjects.decoding.choices import explores, follow_choices
from viz.subjects.decoding.pictures import Played, show_lens, show_losses, show_tree
from viz.subjects.decoding.reading import one_pass_loss
from viz.subjects.decoding.sections.branches import compare_branches
from viz.subjects.decoding.sections.player import find_played, play, say_what_is_odd
from viz.subjects.decoding.sections.strategy import choose_strategy

TITLE = words.TITLE
URL = "decoding"


@st.fragment
def render(view: View) -> None:
    """Play a decoding step by step, take other tokens, and see what else the model weighed."""
    if explores():
        st.rerun()
    selection = follow_selection(view.run, view.parcel.key, URL)
    choices, notes = follow_choices(view.parcel.key)
    with st.container(border=True, key="card_decoding_player", gap="small"):
        strategy = choose_strategy(view, choices)
        place = st.container()
        choices, played = find_played(view, strategy, choices, notes)
        play(view, strategy, choices, selection, played)
        say_what_is_odd(view, place, played)
    if strategy.mode == "Given" and not choices.branch:
        with st.container(border=True, key="card_decoding_losses", gap="small"):
            _show_losses(view, played)
    with st.container(border=True, key="card_decoding_branches", gap="small"):
        compare_branches(view, strategy, choices, played)
    if played.paths[choices.played].search:
        with st.container(border=True, key="card_decoding_tree", gap="small"):
            with st.spinner(words.DRAWING_TREE, show_time=True):
                parcel = tree_parcel(view, strategy, choices.branch)
            show_tree(parcel, on_pick=pick_hypothesis)
    with st.container(border=True, key="card_decoding_lens", gap="small"):
        show_lens(lens_parcel(view, strategy, choices.branch, played.node, played.key))


def _show_losses(view: View, played: Played) -> None:
    show_losses(played.key)
    if not view.run.info.config.causal_mask:
        stepwise = -played.path.total / len(played.path.steps)
        st.html(tokens.note(words.given_without_mask(stepwise, one_pass_loss(view.run))))
