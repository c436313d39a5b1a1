"""The path that is played, and what is unusual about it."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from texts import say
from viz.pictures import tokens
from viz.run.payload import run_key
from viz.run.selection import Selection
from viz.run.view import View
from viz.subjects.decoding import words
from viz.subjects.decoding.actions import draw_again, rest, take_token
from viz.subjects.decoding.cache import find_hypothesis, find_path, path_parcel
from viz.subjects.decoding.choices import Choices, with_branches
from viz.subjects.decoding.paths import DecodedPath
from viz.subjects.decoding.pictures import Played, send_path, show_player
from viz.subjects.decoding.ranking import shown_shaping
from viz.subjects.decoding.strategy import Strategy
from viz.subjects.decoding.words import first_difference


def find_played(
    view: View, strategy: Strategy, choices: Choices, notes: tuple[str, ...]
) -> tuple[Choices, Played]:
    """Decode what is chosen, and say what of it cannot be; give the choices that are left."""
    with st.spinner(say("decoding.working"), show_time=True):
        paths, lost = _find_paths(view, strategy, choices)
        choices = with_branches(choices, tuple(path.branch for path in paths[1:]))
        path, node, missed = _find_path(view, strategy, choices, paths)
    for note in (*notes, *lost, *missed):
        st.warning(tokens.markdown(note))
    key = run_key(view.parcel.key, strategy, choices.branch, node)
    return choices, Played(path, tuple(paths), node, key)


def play(
    view: View, strategy: Strategy, choices: Choices, selection: Selection, played: Played
) -> None:
    """Show the player of the path."""
    send_path(path_parcel(view, strategy, choices.branch, played.node, played.key))
    size = view.run.info.config.target_vocab_size
    step = selection.step if choices.at is None else choices.at
    if strategy.mode == "Beam" and choices.at is None:
        differs = first_difference(played.path.ids, find_path(view, Strategy(), ()).ids)
        step = selection.step if differs is None else differs
    show_player(
        played,
        strategy,
        choices,
        shown_shaping(choices.shaping, choices.drawn, size),
        step,
        on_take=partial(take_token, view, strategy, choices, played.path),
        on_rest=rest,
        on_draw=draw_again,
    )


def say_what_is_odd(view: View, place: DeltaGenerator, played: Played) -> None:
    """State above the player what is unusual about the path."""
    said = words.oddities(
        len(played.path.written),
        finished=played.path.finished,
        is_picked=played.node is not None,
        causal=view.run.info.config.causal_mask,
        prompted=not view.run.info.config.has_encoder,
    )
    if said:
        place.html(tokens.joined(map(tokens.note, said)))


def _find_paths(
    view: View, strategy: Strategy, choices: Choices
) -> tuple[list[DecodedPath], list[str]]:
    """Decode the strategy's own path and every branch; leave out, with a note, one that fails."""
    paths = [find_path(view, strategy, ())]
    notes: list[str] = []
    for number, branch in enumerate(choices.branches, start=1):
        try:
            paths.append(find_path(view, strategy, branch))
        except ValueError as error:
            notes.append(say("decoding.branch_lost", number=number, reason=str(error)))
    return paths, notes


def _find_path(
    view: View, strategy: Strategy, choices: Choices, paths: list[DecodedPath]
) -> tuple[DecodedPath, int | None, list[str]]:
    """Return the path that is played, its hypothesis where not the best was picked, and notes."""
    path = paths[choices.played]
    if strategy.mode != "Beam" or choices.node in (None, path.hypothesis):
        return path, None, []
    try:
        found = find_hypothesis(view, strategy, choices.branch, choices.node)
    except ValueError:
        return path, None, [say("decoding.hypothesis_lost")]
    return found, choices.node, []
