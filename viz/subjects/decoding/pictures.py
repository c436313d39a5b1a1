"""The pictures of decoding: the player, branches, losses, the beam's tree, the lens."""

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from viz.pictures.component import picture
from viz.subjects.decoding.choices import Choices
from viz.subjects.decoding.paths import DecodedPath
from viz.subjects.decoding.strategy import LAST_SEED, TEMPERATURE_PLACES, Shaping, Strategy
from viz.subjects.decoding.wire import WireBranches, WireLens, WireLosses, WirePlayer

_PLAYER, _BRANCHES, _TREE = "decoding_player", "decoding_branches", "decoding_tree"
_send_path = picture("decoding_path", "subjects/decoding/browser/studio.js")
_player = picture("decoding_player", "subjects/decoding/browser/player.js")
_branches = picture("decoding_branches", "subjects/decoding/browser/branches.js")
_losses = picture("decoding_losses", "subjects/decoding/browser/losses.js")
_tree = picture("decoding_tree", "subjects/decoding/browser/beam_tree.js")
_cache = picture("decoding_cache", "subjects/decoding/browser/cache.js")
_lens = picture("decoding_lens", "subjects/decoding/browser/lens.js")


class Played(NamedTuple):
    """The path that is played, and those beside it."""

    path: DecodedPath
    paths: tuple[DecodedPath, ...]
    """The strategy's own, then its branches."""
    node: int | None
    """The hypothesis where another than the best was picked."""
    key: str
    """Names the path in the browser."""


def send_path(parcel: dict[str, Any]) -> None:
    """Send a packed path; Streamlit does so again only when it is another one."""
    _send_path(key="decoding_path", data=parcel)


def show_player(
    played: Played,
    strategy: Strategy,
    choices: Choices,
    shaping: Shaping,
    step: int,
    *,
    on_take: Callable[[], None],
    on_rest: Callable[[], None],
    on_draw: Callable[[], None],
) -> None:
    """Show the player of the path that was sent, at a step; it goes on without Python."""
    data: WirePlayer = {
        "path": played.key,
        "mode": strategy.mode,
        "at": step,
        "shaping": list(shaping),
        "drawn": [*choices.drawn, choices.seed],
        "temperatures": list(TEMPERATURE_PLACES),
        "lastSeed": LAST_SEED,
        "mean": choices.mean,
        "node": played.path.hypothesis if played.node is None else played.node,
    }
    _player(
        key=_PLAYER,
        data=data,
        on_take_change=on_take,
        on_rest_change=on_rest,
        on_draw_change=on_draw,
    )


def player_event(name: str) -> dict[str, Any]:
    """Return what the player told a callback."""
    return st.session_state[_PLAYER][name]


def show_branches(
    data: WireBranches,
    *,
    on_play: Callable[[], None],
    on_drop: Callable[[], None],
) -> None:
    """Show branches side by side; a click plays one."""
    _branches(
        key=_BRANCHES,
        data=data,
        on_play_change=on_play,
        on_drop_change=on_drop,
    )


def branch_event(name: str) -> dict[str, Any]:
    """Return what a card of a branch told a callback."""
    return st.session_state[_BRANCHES][name]


def show_losses(key: str) -> None:
    """Show the loss of each token of a given target, from the path of that key."""
    data: WireLosses = {"path": key}
    _losses(key="decoding_losses", data=data)


def show_tree(parcel: dict[str, Any], *, on_pick: Callable[[], None]) -> None:
    """Show a beam as a tree; a click on a hypothesis plays it."""
    _tree(key=_TREE, data=parcel, on_pick_change=on_pick)


def tree_event() -> dict[str, Any]:
    """Return the hypothesis that was clicked."""
    return st.session_state[_TREE]["pick"]


def show_cache(key: str) -> None:
    """Show what the cache holds at the step in view, of the path of that key."""
    _cache(key="decoding_cache", data={"path": key})


def show_lens(parcel: WireLens) -> None:
    """Show what each depth of the decoder would have written."""
    _lens(key="decoding_lens", data=parcel)
