"""Which encoding is looked at: a formula and its sizes, or what a checkpoint learned."""

import streamlit as st

from model.config import Positions
from model.traces import present
from texts import say, say_of
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run.address import bound
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.positions.lengths import Text
from viz.subjects.positions.table import PositionTable, formula_table
from viz.subjects.positions.words import labels
from viz.subjects.positions.words.sentences import describe

_LENGTHS = (2, 512)
"""Positions drawn, at least and at most."""
_OWN = "own"


def choose_table(view: View) -> tuple[PositionTable, Text]:
    """Let the formula and its length be chosen; an empty field follows the run.

    Gives the encoding and the text that it is for: a formula is the same for both.
    """
    config = view.run.info.config
    offered: dict[str, Positions] = {_OWN: config.positions}
    offered |= {kind: kind for kind in labels.KINDS}
    st.html(tokens.heading(say("positions.which"), code="PE"))
    chosen = choose_one(
        say("positions.formula"),
        [*offered],
        _formula_name,
        key="positions_formula",
        first=_OWN,
        is_named=False,
    )
    kind = offered[chosen]
    if kind == "sinusoidal_halves":
        st.html(tokens.note(say("positions.halves")))
        kind = "sinusoidal"
    if kind == "learned":
        return _choose_learned(view)
    table = formula_table(kind, _choose_length(view.run), config.d_model)
    of_run = f"{labels.kind_name(kind)}. " if chosen == _OWN else ""
    st.html(tokens.note(of_run + describe(table)))
    return table, view.run.anatomy.sides[0]


def _formula_name(chosen: str) -> str:
    return say("positions.own") if chosen == _OWN else say_of("config.position_origin", chosen)


def text_length(run: Run) -> int:
    """Count the positions that a run used: those of its longer text, and two at least."""
    return max(2, len(run.source.tokens), len(run.steps))


def _choose_length(run: Run) -> int:
    own = text_length(run)
    given = st.number_input(
        say("positions.positions"),
        *_LENGTHS,
        None,
        placeholder=say("positions.of_run", number=own),
        key=bound("positions_length", None, within=_LENGTHS),
        width=210,
    )
    return own if given is None else int(given)


def _choose_learned(view: View) -> tuple[PositionTable, Text]:
    """Take the learned positions of one side of the run's own model."""
    text: Text = choose_one(
        say("positions.side"),
        view.run.anatomy.sides,
        lambda name: say_of("positions.text_of", name),
        key="positions_side",
    )
    learned = present(view.model.embedding_of(text).learned)
    rows = learned.weight[view.run.info.config.position_offset :]
    whole = PositionTable("learned", rows.detach().cpu().double().numpy())
    table = PositionTable("learned", whole.values[: _choose_length(view.run)])
    st.html(tokens.note(describe(whole)))
    return table, text
