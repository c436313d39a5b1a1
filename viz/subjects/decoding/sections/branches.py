"""The branch beside the model's choice, and its buttons."""

from functools import partial

import streamlit as st

from texts import say, say_of
from viz.run.view import View
from viz.subjects.decoding.choices import Choices, explore, take
from viz.subjects.decoding.packing import pack_branches
from viz.subjects.decoding.pictures import Played, show_branches
from viz.subjects.decoding.strategy import Strategy


def compare_branches(view: View, strategy: Strategy, choices: Choices, played: Played) -> None:
    """Show the text that the strategy writes, and the played branch beside it."""
    target = view.run.info.tokenizers.target
    paths = [played.base, played.path] if choices.branch else [played.base]
    show_branches(pack_branches(target, strategy.mode, paths))
    text = target.decode(played.path.written)
    with st.container(horizontal=True, gap="small"):
        st.button(
            say("decoding.return_to", base=say_of("decoding.base", strategy.mode)),
            key="decoding_return",
            disabled=not choices.branch,
            on_click=partial(take, (), choices.at or 0),
        )
        st.button(
            say("decoding.explore"),
            key="decoding_explore_target",
            disabled=not text or text == st.session_state.get("target"),
            on_click=explore(text),
        )
