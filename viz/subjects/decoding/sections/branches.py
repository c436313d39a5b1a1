"""The branches beside each other, and what is done with them."""

from functools import partial

import streamlit as st

from texts import say, say_of
from viz.run.view import View
from viz.subjects.decoding.actions import (
    drop_branch,
    play_branch,
    return_to_choice,
    undo_branch,
)
from viz.subjects.decoding.choices import Choices, explore
from viz.subjects.decoding.packing import BranchCard, pack_branches
from viz.subjects.decoding.pictures import Played, show_branches
from viz.subjects.decoding.strategy import Strategy


def compare_branches(view: View, strategy: Strategy, choices: Choices, played: Played) -> None:
    """Show what the strategy writes beside its branches."""
    target = view.run.info.tokenizers.target
    base, *branches = played.paths
    cards = [BranchCard(say_of("decoding.base", strategy.mode), base)]
    for path in branches:
        last = path.branch[-1]
        title = say("decoding.branch", token=target.token(last.token), step=last.step)
        cards.append(BranchCard(title, path))
    show_branches(
        pack_branches(target, cards, None if choices.node is not None else choices.played),
        on_play=partial(play_branch, choices),
        on_drop=partial(drop_branch, choices),
    )
    _offer(strategy, choices, target.decode(played.path.written))


def _offer(strategy: Strategy, choices: Choices, text: str) -> None:
    with st.container(horizontal=True, gap="small"):
        st.button(
            say("decoding.undo"),
            key="decoding_undo",
            disabled=not choices.branches,
            on_click=undo_branch,
            args=(choices,),
        )
        st.button(
            say_of("decoding.return_to", strategy.mode),
            key="decoding_return",
            disabled=not choices.played and choices.node is None,
            on_click=return_to_choice,
            args=(choices,),
        )
        st.button(
            say("decoding.explore"),
            key="decoding_explore_target",
            disabled=not text or text == st.session_state.get("target"),
            on_click=explore(text),
            help=say("decoding.explore_help"),
        )
