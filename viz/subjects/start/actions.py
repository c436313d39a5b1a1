"""The place of a reader of Start: the stage, the guess, the word, the stop of the tour."""

from typing import NamedTuple, cast, get_args

import streamlit as st

from viz.address.address import is_news, put, said
from viz.heads.telling_cells import is_word
from viz.run.view import View
from viz.subjects.start.cache import pair_of
from viz.subjects.start.pictures import SENTENCE
from viz.subjects.start.wire import Scene, WireHeadAsked, WireMove

SCENES: tuple[Scene, ...] = get_args(Scene)
TOUR = "tour"
_NUMBER = "start_number"
_PAIR = "start_pair"
_SEEN = "start_seen"
_ROW = "start_row"
_HEAD = "start_head"
_SCENE, _GUESS, _WORD = "scene", "guess", "word"


class Place(NamedTuple):
    """The place that the link gives."""

    scene: Scene
    guess: int
    """The position of the guessed word; -1 without a guess."""
    word: int | None
    """The position of the word in question; None if the reader chose none."""
    number: int
    """The number of the last move that the browser reported."""


def place_of(view: View, texts: tuple[str, ...]) -> Place:
    """Read the reader's place, and keep it in the link if it is not the usual one.

    The place in another sentence than those in `texts` is forgotten.
    """
    _forget(texts)
    scene = said(_SCENE) or ""
    known = scene in SCENES
    put(_SCENE, scene if known else SCENES[0])
    tokens = view.run.source.tokens
    guess, word = _position(_GUESS, len(tokens)), _position(_WORD, len(tokens))
    chosen = word if word >= 0 and is_word(tokens[word]) else None
    number = st.session_state.get(_NUMBER, 0)
    return Place(cast("Scene", scene) if known else SCENES[0], guess, chosen, number)


def _position(name: str, count: int) -> int:
    """Read the position of a token from the link; -1 without one."""
    position = _number(name)
    return position if position is not None and position < count else -1


def _number(name: str) -> int | None:
    """Read a number from the link; None without one."""
    text = (said(name) or "")[:4]
    return int(text) if text.isdecimal() and text.isascii() else None


def _forget(texts: tuple[str, ...]) -> None:
    """Forget the place if the sentence is new to this session, unless a link has just named it.

    For a sentence that the session has seen, the link says the place.
    """
    names = (_GUESS, _WORD, _SCENE)
    is_linked = is_news(*names)
    seen: set[int] = st.session_state.setdefault(_SEEN, set())
    now = {hash(text) for text in texts}
    if seen and not is_linked and seen.isdisjoint(now):
        for name in names:
            put(name, None)
    seen |= now


def sentences(view: View) -> tuple[str, ...]:
    """Return the sentence in view and its partner, which has the other meaning, as first seen."""
    pair: tuple[str, tuple[str, ...]] = st.session_state.get(_PAIR, ("", ()))
    if pair[0] == view.inputs.checkpoint and view.inputs.source in pair[1] and not view.run.given:
        return pair[1]
    found = pair_of(view)
    st.session_state[_PAIR] = (view.inputs.checkpoint, found)
    return found


def take_move() -> None:
    """Take a move made in the picture: another stage, a guess, the other sentence."""
    move: WireMove = st.session_state[SENTENCE]["move"]
    st.session_state[_NUMBER] = move["number"]
    st.session_state[_ROW] = move
    put(_SCENE, move["scene"])
    for name, position in ((_GUESS, move["guess"]), (_WORD, move["word"])):
        put(name, None if position < 0 else str(position))
    _, texts = st.session_state.get(_PAIR, ("", ()))
    if move["source"] in texts:
        st.session_state["source"] = move["source"]


def row_of(view: View) -> tuple[int, int, int] | None:
    """Return the layer, head and row that were in view at the last move in this sentence."""
    move: WireMove | None = st.session_state.get(_ROW)
    if move is None or move["source"] != view.inputs.source:
        return None
    row = move["layer"], move["head"], move["query"]
    is_there = _has_head(view, *row[:2]) and 0 <= row[2] < len(view.run.source.ids)
    return row if is_there else None


def take_head() -> None:
    """Store the head for which the picture needs more data."""
    st.session_state[_HEAD] = st.session_state[SENTENCE]["head"]


def head_asked(view: View) -> tuple[int, int] | None:
    """Return the layer and the number of the head of this run that the picture asked for."""
    asked: WireHeadAsked | None = st.session_state.get(_HEAD)
    if asked is None or asked["run"] != view.parcel.key:
        return None
    head = asked["layer"], asked["head"]
    return head if _has_head(view, *head) else None


def _has_head(view: View, layer: int, head: int) -> bool:
    config = view.run.info.config
    return 0 <= layer < config.n_encoder_layers and 0 <= head < config.n_heads


def tour_stop(count: int) -> int | None:
    """Return the stop of the tour that the link names, from 1; None if it names none."""
    asked = _number(TOUR)
    return None if asked is None else max(1, min(asked, count))


def go_to_stop(stop: int | None) -> None:
    """Go to a stop of the tour, or leave the tour."""
    put(TOUR, None if stop is None else str(stop))


def is_behind(view: View) -> bool:
    """Return whether the inputs changed in a fragment, which cannot redraw the whole page."""
    return st.session_state.get("source", view.inputs.source) != view.inputs.source
