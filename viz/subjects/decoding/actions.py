"""What a click or a move on the page of decoding does: callbacks of its pictures and buttons."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from viz.frame.expander import open_fold
from viz.pictures import tokens
from viz.run.link import select
from viz.run.view import View
from viz.subjects.decoding.cache import find_path
from viz.subjects.decoding.choices import Choices, change, drop, keep_branches, take, undo
from viz.subjects.decoding.paths import DecodedPath, branch_to
from viz.subjects.decoding.pictures import branch_event, player_event, tree_event
from viz.subjects.decoding.strategy import (
    LAST_SEED,
    Branch,
    Shaping,
    Strategy,
    read_shaping,
    shaping_text,
)

BRANCHES = "decoding_branches"
"""Key of the part of the page that shows the branches: a new one opens it."""


def take_token(view: View, strategy: Strategy, choices: Choices, played: DecodedPath) -> None:
    """Take the candidate that was clicked: a branch, which is then played."""
    event = player_event("take")
    step, token = int(event["step"]), int(event["token"])
    find: Callable[[Branch], DecodedPath] = partial(find_path, view, strategy)
    try:
        branch = branch_to(find, (*played.ids[:step], token))
    except ValueError as error:
        st.toast(tokens.markdown(f"{error}"))
        return
    take(choices, branch, step)
    open_fold(BRANCHES)
    select({"step": step})


def rest() -> None:
    """Keep the step, the shaping and the choice of heads that the player rests at."""
    event = player_event("rest")
    shaping = read_shaping(event["shaping"]) or Shaping()
    change(
        {
            "at": str(int(event["step"])),
            "shaping": shaping_text(shaping),
            "heads": "mean" if event["mean"] else None,
        }
    )
    select({"step": int(event["step"])})


def draw_again() -> None:
    """Draw another sample, with the shaping and the seed in view; its branches are new too."""
    event = player_event("draw")
    shaping = read_shaping(event["shaping"]) or Shaping()
    seed = max(0, min(int(event["seed"]), LAST_SEED))
    change(
        {
            "drawn": f"{shaping_text(shaping)}:{seed}",
            "shaping": None,
            "branches": None,
            "branch": None,
            "at": str(int(event["step"])),
        }
    )


def play_branch(choices: Choices) -> None:
    """Play the branch that was clicked."""
    event = branch_event("play")
    keep_branches(choices.branches, int(event["number"]), int(event["step"]))
    select({"step": int(event["step"])})


def drop_branch(choices: Choices) -> None:
    """Take the branch away whose cross was clicked."""
    event = branch_event("drop")
    drop(choices, int(event["number"]), int(event["step"]))


def undo_branch(choices: Choices) -> None:
    """Take the latest branch away."""
    undo(choices, choices.at or 0)


def return_to_choice(choices: Choices) -> None:
    """Play what the strategy itself writes; the branches stay beside it."""
    keep_branches(choices.branches, 0, choices.at or 0)


def pick_hypothesis() -> None:
    """Play the hypothesis that was clicked in the tree, from its last token."""
    event = tree_event()
    change({"node": str(int(event["id"])), "at": str(int(event["step"]))})
    select({"step": int(event["step"])})


def write_otherwise() -> None:
    """Play the best of the beam, from where it differs: another search has other hypotheses."""
    change({"node": None, "at": None})
