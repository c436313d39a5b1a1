"""Which encoding is looked at: a formula and its sizes, or what a checkpoint learned."""

import streamlit as st

from model.config import Positions
from texts import say, say_of
from viz.frame.link_choices import choose_one
from viz.pictures import tokens
from viz.run import session
from viz.run.address import bound
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.positions.cache import learned_checkpoints, learned_sides, learned_table
from viz.subjects.positions.lengths import Text
from viz.subjects.positions.sections.fields import choose_size
from viz.subjects.positions.table import PAPER_BASE, PositionTable, formula_table
from viz.subjects.positions.words import labels
from viz.subjects.positions.words.sentences import describe

_MOST = 512
"""Positions and dimensions drawn at most."""
_BASES = (2, 1_000_000)
_OWN = "own"


def choose_table(view: View) -> tuple[PositionTable, Text] | None:
    """Let the formula and the sizes be chosen; empty fields follow the run.

    Gives the encoding and the text that it is for: a formula is the same for both. None where there
    is no such encoding, once the page has said so.
    """
    offered: dict[str, Positions] = {_OWN: view.run.info.config.positions}
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
    table = _choose_sizes(view.run, kind)
    of_run = f"{labels.kind_name(kind)}. " if chosen == _OWN else ""
    st.html(tokens.note(of_run + describe(table)))
    return table, view.run.anatomy.sides[0]


def _formula_name(chosen: str) -> str:
    return say("positions.own") if chosen == _OWN else say_of("config.position_origin", chosen)


def text_length(run: Run) -> int:
    """Count the positions that a run used: those of its longer text, and two at least."""
    return max(2, len(run.source.tokens), len(run.steps))


def _choose_sizes(run: Run, kind: Positions) -> PositionTable:
    config = run.info.config
    base = int(PAPER_BASE)
    with st.container(horizontal=True, gap="medium"):
        length = _choose_length(run)
        d_model = choose_size(
            "d_model",
            "positions_d_model",
            config.d_model,
            say("positions.of_run", number=config.d_model),
            (2, _MOST),
            2,
        )
        if kind == "sinusoidal":
            shown = say("positions.of_paper", number=base)
            base = choose_size(say("positions.base"), "positions_base", base, shown, _BASES)
    if d_model % 2:
        d_model += 1
        st.html(tokens.note(say("positions.in_pairs", count=d_model)))
    return formula_table(kind, length, d_model, float(base))


def _choose_length(run: Run) -> int:
    own = text_length(run)
    shown = say("positions.of_run", number=own)
    return choose_size(say("positions.positions"), "positions_length", own, shown, (2, _MOST))


def _choose_learned(view: View) -> tuple[PositionTable, Text] | None:
    """Take the learned positions of this run's checkpoint, else of another that has some."""
    name = view.inputs.checkpoint
    if view.run.info.config.positions != "learned":
        found = learned_checkpoints()
        if not found:
            how = labels.train_learned(view.run.info.task, session.checkpoint_folder())
            st.html(tokens.notice(say("positions.none_learned"), how))
            return None
        name = st.selectbox(
            say("positions.learned_by"), found, key=bound("positions_learned", found[0], found)
        )
    sides = learned_sides(name)
    text: Text = choose_one(
        say("positions.side"),
        sides,
        lambda name: say_of("positions.text_of", name),
        key="positions_side",
    )
    whole = learned_table(name, view.inputs.device, text)
    table = PositionTable("learned", whole.values[: _choose_length(view.run)])
    st.html(tokens.note(describe(whole)))
    return table, text
