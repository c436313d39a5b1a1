"""The pictures of decoding: the player, a branch, the beam's tree, the lens."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from viz.pictures.component import picture
from viz.subjects.decoding.choices import Choices
from viz.subjects.decoding.paths import DecodedPath
from viz.subjects.decoding.strategy import LAST_SEED, TEMPERATURE_PLACES, Shaping, Strategy
from viz.subjects.decoding.wire import (
    WireBranches,
    WireDraw,
    WireLens,
    WirePlayer,
    WireRest,
    WireTaken,
    WireTree,
    WireTyped,
)

_PLAYER = "decoding_player"
_send_path = picture("decoding_path", "subjects/decoding/browser/studio.js")
_SENT = {"take": WireTaken, "rest": WireRest, "draw": WireDraw}
_player = picture("decoding_player", "subjects/decoding/browser/player.js", sends=_SENT)
_typed = picture("decoding_typed", "subjects/decoding/browser/typed_path.js")
_branches = picture("decoding_branches", "subjects/decoding/browser/branches.js")
_tree = picture("decoding_tree", "subjects/decoding/browser/beam_tree.js")
_lens = picture("decoding_lens", "subjects/decoding/browser/lens.js")


class Played(NamedTuple):
    """The path that is played, and the one beside it."""

    path: DecodedPath
    base: DecodedPath
    """The strategy's own path, without a branch."""
    key: str
    """The key of the path in the browser."""


def send_path(parcel: dict[str, Any]) -> None:
    """Send a packed path; Streamlit sends it again only if it changes."""
    _send_path(key="decoding_path", data=parcel)


def show_player(
    played: Played,
    strategy: Strategy,
    choices: Choices,
    shaping: Shaping,
    step: int,
    languages: tuple[str, str],
    *,
    on_take: Callable[[], None],
    on_rest: Callable[[], None],
    on_draw: Callable[[], None],
) -> None:
    """Show the player of the path that was sent, at a step; it runs without Python."""
    data: WirePlayer = {
        "path": played.key,
        "languages": languages,
        "mode": strategy.mode,
        "at": step,
        "shaping": list(shaping),
        "drawn": [*choices.drawn, choices.seed],
        "temperatures": list(TEMPERATURE_PLACES),
        "lastSeed": LAST_SEED,
    }
    _player(
        key=_PLAYER,
        data=data,
        on_take_change=on_take,
        on_rest_change=on_rest,
        on_draw_change=on_draw,
    )


def follow_typing(data: WireTyped) -> None:
    """Let the player play the paths that the browser's own model writes while the reader types."""
    _typed(key="decoding_typed", data=data)


def player_event(name: str) -> dict[str, Any]:
    """Return the message that a callback of the player received."""
    return st.session_state[_PLAYER][name]


def show_branches(data: WireBranches) -> None:
    """Show the model's choice, and the branch beside it."""
    _branches(key="decoding_branches", data=data)


def show_tree(data: WireTree) -> None:
    """Show a beam as a tree."""
    _tree(key="decoding_tree", data=data)


def show_lens(parcel: WireLens) -> None:
    """Show the prediction of each depth of the decoder."""
    _lens(key="decoding_lens", data=parcel)
