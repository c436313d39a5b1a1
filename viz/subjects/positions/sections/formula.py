"""Which encoding is looked at: a formula and its sizes, or what a checkpoint learned."""

import streamlit as st

from model.config import Positions
from viz.pictures import tokens
from viz.run import session
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


def choose_table(view: View) -> tuple[PositionTable, Text] | None:
    """Let the formula and the sizes be chosen; empty fields follow the run.

    Gives the encoding and the text that it is for: a formula is the same for both. None where there
    is no such encoding, once the page has said so.
    """
    offered: dict[str, Positions] = {labels.OWN: view.run.info.config.positions}
    offered |= {name: kind for kind, name in labels.NAMES.items()}
    st.html(tokens.heading(labels.WHICH, code="PE"))
    chosen = st.segmented_control(
        "Formula",
        [*offered],
        default=labels.OWN,
        required=True,
        key="positions_formula",
        bind="query-params",
        label_visibility="collapsed",
    )
    kind = offered[chosen]
    if kind == "sinusoidal_halves":
        st.html(tokens.note(labels.HALVES))
        kind = "sinusoidal"
    if kind == "learned":
        return _choose_learned(view)
    table = _choose_sizes(view.run, kind)
    of_run = f"{labels.NAMES[kind]}. " if chosen == labels.OWN else ""
    st.html(tokens.note(of_run + describe(table)))
    return table, view.run.anatomy.sides[0]


def text_length(run: Run) -> int:
    """Count the positions that a run used: those of its longer text, and two at least."""
    return max(2, len(run.source.tokens), len(run.steps))


def _choose_sizes(run: Run, kind: Positions) -> PositionTable:
    config = run.info.config
    base = int(PAPER_BASE)
    with st.container(horizontal=True, gap="medium"):
        length = _choose_length(run)
        d_model = choose_size(
            "d_model", "positions_d_model", config.d_model, "the run's", (2, _MOST), 2
        )
        if kind == "sinusoidal":
            base = choose_size("Base", "positions_base", base, "the paper's", _BASES)
    if d_model % 2:
        d_model += 1
        st.html(tokens.note(f"Dimensions come in pairs: drawn with d_model {d_model}."))
    return formula_table(kind, length, d_model, float(base))


def _choose_length(run: Run) -> int:
    return choose_size("Positions", "positions_length", text_length(run), "the run's", (2, _MOST))


def _choose_learned(view: View) -> tuple[PositionTable, Text] | None:
    """Take the learned positions of this run's checkpoint, else of another that has some."""
    name = view.inputs.checkpoint
    if view.run.info.config.positions != "learned":
        found = learned_checkpoints()
        if not found:
            how = labels.train_learned(view.run.info.task, session.checkpoint_folder())
            st.html(tokens.notice(labels.NONE_LEARNED, how))
            return None
        name = st.selectbox("Learned by", found, key="positions_learned", bind="query-params")
    sides = learned_sides(name)
    text: Text = st.segmented_control(
        "Side", sides, default=sides[0], required=True, key="positions_side", bind="query-params"
    )
    whole = learned_table(name, view.inputs.device, text)
    table = PositionTable("learned", whole.values[: _choose_length(view.run)])
    st.html(tokens.note(describe(whole)))
    return table, text
