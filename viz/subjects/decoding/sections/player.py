"""The played path, and its peculiarities."""

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from texts import say
from viz.address.selection import Selection
from viz.models.beside_page import running_model
from viz.pictures import tokens
from viz.run.inputs import run_key
from viz.run.view import View
from viz.subjects.decoding import words
from viz.subjects.decoding.actions import draw_again, rest, take_token
from viz.subjects.decoding.cache import find_path, path_parcel
from viz.subjects.decoding.choices import Choices, take
from viz.subjects.decoding.pictures import Played, follow_typing, send_path, show_player
from viz.subjects.decoding.ranking import shown_shaping
from viz.subjects.decoding.strategy import Strategy
from viz.subjects.decoding.words import first_difference


def find_played(
    view: View, strategy: Strategy, choices: Choices, notes: tuple[str, ...]
) -> tuple[Choices, Played]:
    """Decode the choices, report those that do not fit, and return the others."""
    with st.spinner(say("decoding.working"), show_time=True):
        path = base = find_path(view, strategy, ())
        try:
            path = find_path(view, strategy, choices.branch)
        except ValueError as error:
            notes = (*notes, say("decoding.branch_lost", reason=str(error)))
            choices = replace(choices, branch=())
            take((), choices.at or 0)
    for note in notes:
        st.warning(tokens.markdown(note))
    key = run_key(view.parcel.key, strategy, choices.branch)
    return choices, Played(path, base, key)


def play(
    view: View, strategy: Strategy, choices: Choices, selection: Selection, played: Played
) -> None:
    """Show the player of the path."""
    send_path(path_parcel(view, strategy, choices.branch, played.key))
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
        view.parcel.languages,
        on_take=partial(take_token, view, strategy, played.path),
        on_rest=rest,
        on_draw=draw_again,
    )
    if model := running_model(view):
        follow_typing({"run": view.parcel.key, "model": model})


def say_what_is_odd(view: View, place: DeltaGenerator, played: Played) -> None:
    """State above the player what is unusual about the path."""
    said = words.oddities(
        len(played.path.written),
        finished=played.path.finished,
        causal=view.run.info.config.causal_mask,
    )
    if said:
        place.html(tokens.joined(map(tokens.note, said)))
