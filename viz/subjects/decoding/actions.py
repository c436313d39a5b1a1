"""Callbacks of the pictures and buttons of the Decoding page."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from viz.address.link import select
from viz.frame.expander import open_fold
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.decoding.cache import find_path
from viz.subjects.decoding.choices import change, take
from viz.subjects.decoding.paths import DecodedPath, branch_to
from viz.subjects.decoding.pictures import player_event
from viz.subjects.decoding.strategy import (
    LAST_SEED,
    Branch,
    Shaping,
    Strategy,
    read_shaping,
    shaping_text,
)

BRANCHES = "decoding_branches"
"""The key of the part of the page that shows the branch; a new branch opens it."""


def take_token(view: View, strategy: Strategy, played: DecodedPath) -> None:
    """Take the clicked candidate: a branch, which the player then plays."""
    event = player_event("take")
    step, token = event["step"], event["token"]
    find: Callable[[Branch], DecodedPath] = partial(find_path, view, strategy)
    try:
        branch = branch_to(find, (*played.ids[:step], token))
    except ValueError as error:
        st.toast(tokens.markdown(f"{error}"))
        return
    take(branch, step)
    open_fold(BRANCHES)
    select({"step": step})


def rest() -> None:
    """Store the step and the shaping at which the player rests."""
    event = player_event("rest")
    shaping = read_shaping(event["shaping"]) or Shaping()
    change({"at": str(event["step"]), "shaping": shaping_text(shaping)})
    select({"step": event["step"]})


def draw_again() -> None:
    """Draw another sample, with the shaping and the seed in view, without a branch."""
    event = player_event("draw")
    shaping = read_shaping(event["shaping"]) or Shaping()
    seed = max(0, min(event["seed"], LAST_SEED))
    change(
        {
            "drawn": f"{shaping_text(shaping)}:{seed}",
            "shaping": None,
            "branches": None,
            "at": str(event["step"]),
        }
    )


def write_otherwise() -> None:
    """Play the best hypothesis of the beam, from the step at which it leaves greedy decoding."""
    change({"at": None})
