"""The Positions page: their effect on this run, and the encoding in numbers and geometry."""

from functools import partial

import streamlit as st

from texts import say
from viz.address.address import page_part
from viz.address.link import follow_selection
from viz.address.selection import Selection
from viz.frame.dials import show_dials
from viz.frame.expander import fold, is_open
from viz.pictures import tokens
from viz.pictures.glossary import explained
from viz.run.requirements import running_again
from viz.run.view import View
from viz.subjects.positions.reruns import Rerun, first_choices, guesses
from viz.subjects.positions.sections.encoding import show_encoding
from viz.subjects.positions.sections.kinds import show_added_numbers, show_turn
from viz.subjects.positions.sections.opening import show_positions
from viz.subjects.positions.sections.reruns import (
    Asked,
    choose_rerun,
    run_again,
    show_hidden,
    show_order,
    show_weights,
    show_written,
)
from viz.subjects.positions.words import kinds
from viz.subjects.positions.words.sentences import answer

URL = "positions"
NEEDS = running_again
_ENCODING = "positions_encoding"
"""The part of the page that computes one number step by step."""
_OF_ENCODING = [f"positions_{name}" for name in ("pos", "dim", "closer", "shift")]
"""The parameters of a link that ask for it."""


@page_part
def render(view: View) -> None:
    """Show how the model knows positions, and the sentence without them; then the rest."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    opening = st.container()
    is_picking = _adds_vectors(view) and is_open(_ENCODING, _OF_ENCODING)
    show_positions(view, selection, is_picking=is_picking)
    changed: Rerun | None = None
    with st.container(border=True, key="card_positions_reruns", gap="small"):
        result = st.container()
        asked = choose_rerun(view.run)
        if asked is not None:
            changed = run_again(view, asked)
            if view.run.anatomy.writes:
                with result:
                    show_written(asked, changed)
            if not guesses(view.run):
                show_hidden(view.run, changed)
    with opening:
        st.html(
            tokens.question(say("positions.question"), explained(_answer(view, asked, changed)))
        )
    _show_more(view, selection, asked, changed)


def _answer(view: View, asked: Asked | None, changed: Rerun | None) -> str:
    anatomy = view.run.anatomy
    if anatomy.translates and (_adds_vectors(view) or anatomy.positions == "none"):
        return _answer_of_two(view, asked, changed)
    said = kinds.told(anatomy)
    if asked is None or changed is None or asked.change != "zeroed" or anatomy.positions == "none":
        return said
    if anatomy.writes:
        same = changed.text == changed.text_before
        return f"{said} {kinds.of_written(changed.text, same=same)}"
    before, after = guesses(view.run), guesses(changed.forced)
    if not before:
        return said
    counts = first_choices(before), first_choices(after), len(before)
    return f"{said} {kinds.of_read(*counts)}"


def _adds_vectors(view: View) -> bool:
    return view.run.info.config.has_position_vectors


def _answer_of_two(view: View, asked: Asked | None, changed: Rerun | None) -> str:
    return answer(
        (asked.change, asked.where) if asked and changed else None,
        "" if changed is None else changed.text,
        same=changed is not None and changed.text == changed.text_before,
        added=view.run.info.config.positions != "none",
    )


def _show_more(
    view: View, selection: Selection, asked: Asked | None, changed: Rerun | None
) -> None:
    with st.container(gap="xsmall"):
        if asked is not None and changed is not None:
            show = partial(show_weights, view, changed, selection)
            fold(say("positions.head_fold"), show, key="positions_head")
        match view.run.anatomy.positions:
            case "rotary":
                show = partial(show_turn, view, selection)
                fold(say("positions.rotary_fold"), show, key="positions_turn")
            case "alibi" | "relative":
                show = partial(show_added_numbers, view, selection)
                fold(say("positions.bias_fold"), show, key="positions_added")
            case _:
                _show_vectors(view)
        if view.run.info.config.has_encoder:
            fold(say("positions.order_fold"), partial(show_order, view), key="positions_order")


def _show_vectors(view: View) -> None:
    """Show everything about positions that are vectors, added to the embeddings."""
    fold(
        say("positions.encoding_fold"),
        partial(show_encoding, view),
        key=_ENCODING,
        asked_by=_OF_ENCODING,
    )
    names = ("source_positions", "target_positions", "embedding_scale")
    fold(say("positions.dials_fold"), partial(show_dials, view, names), key="positions_dials")
