"""Positions: the encoding in numbers and waves, its geometry, and what it does to this run."""

import streamlit as st

from model.config import Positions
from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.run import session
from viz.run.link import follow_selection
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.positions import latex
from viz.subjects.positions.cache import learned_checkpoints, learned_table
from viz.subjects.positions.figures.encoding import encoding_map
from viz.subjects.positions.lengths import TEXTS, Text, embedding_trace
from viz.subjects.positions.sections.geometry import show_closer
from viz.subjects.positions.sections.reruns import show_addition, show_reruns
from viz.subjects.positions.table import PAPER_BASE, PositionTable, formula_table
from viz.subjects.positions.words import NAMES, describe

TITLE = "Positions"
URL = "positions"

_OWN = "This run's"
_MOST = 512
"""Positions and dimensions drawn at most."""
_BASES = (2, 1_000_000)
_ROUNDING = 1e-6
"""What float32 may differ by, of numbers up to 1."""


@st.fragment
def render(view: View) -> None:
    """Show one encoding from all sides, then what it does to the sentence in view."""
    selection = follow_selection(view.run, view.parcel.key, URL)
    with st.container(border=True, key="card_positions_formula", gap="small"):
        chosen = _choose_table(view)
    if chosen is not None:
        table, text = chosen
        with st.container(border=True, key="card_positions_encoding", gap="small"):
            picked = _show_encoding(view.run, table, text)
        with st.container(border=True, key="card_positions_closer", gap="small"):
            show_closer(table, picked, text_length(view.run))
    with st.container(border=True, key="card_positions_sum", gap="small"):
        show_addition(view.run)
    with st.container(border=True, key="card_positions_reruns", gap="small"):
        show_reruns(view, selection)


def _choose_table(view: View) -> tuple[PositionTable, Text] | None:
    """Let the formula and the sizes be chosen; empty fields follow the run.

    Gives the encoding and the text that it is for: a formula is the same for both. None where there
    is no such encoding, once the page has said so.
    """
    config = view.run.info.config
    labels: dict[str, Positions] = {_OWN: config.positions}
    labels |= {name: kind for kind, name in NAMES.items()}
    st.html(tokens.heading("Which encoding", code="PE"))
    chosen = st.segmented_control(
        "Formula",
        [*labels],
        default=_OWN,
        required=True,
        key="positions_formula",
        bind="query-params",
        label_visibility="collapsed",
    )
    kind = labels[chosen]
    if kind == "learned":
        return _choose_learned(view)
    with st.container(horizontal=True, gap="medium"):
        own = text_length(view.run)
        length = _size("Positions", "positions_length", own, "the run's", (2, _MOST))
        d_model = _size("d_model", "positions_d_model", config.d_model, "the run's", (2, _MOST), 2)
        base = int(PAPER_BASE)
        if kind == "sinusoidal":
            base = _size("Base", "positions_base", int(PAPER_BASE), "the paper's", _BASES)
    if d_model % 2:
        d_model += 1
        st.html(tokens.note(f"Dimensions come in pairs: drawn with d_model {d_model}."))
    table = formula_table(kind, length, d_model, float(base))
    of_run = f"{NAMES[kind]}. " if chosen == _OWN else ""
    st.html(tokens.note(of_run + describe(table)))
    return table, TEXTS[0]


def text_length(run: Run) -> int:
    """Count the positions that a run used: those of its longer text, and two at least."""
    return max(2, len(run.source.tokens), len(run.steps))


def _size(
    label: str, key: str, own: int, whose: str, bounds: tuple[int, int], step: int = 1
) -> int:
    """Ask for a number; an empty field, which shows the default, is the default."""
    low, high = bounds
    given = st.number_input(
        label,
        min_value=low,
        max_value=high,
        value=None,
        step=step,
        placeholder=f"{own}, {whose}",
        key=key,
        bind="query-params",
        width=210,
    )
    return own if given is None else int(given)


def _choose_learned(view: View) -> tuple[PositionTable, Text] | None:
    """Take the learned positions of this run's checkpoint, else of another that has some."""
    name = view.inputs.checkpoint
    if view.run.info.config.positions != "learned":
        found = learned_checkpoints()
        if not found:
            st.html(
                tokens.notice(
                    "No checkpoint here has learned positions",
                    "Train one, and it is offered here:\n"
                    f"python -m model.train {view.run.info.task} --set 'positions=\"learned\"' "
                    f"--name learned --out {session.checkpoint_folder()}",
                )
            )
            return None
        name = st.selectbox("Learned by", found, key="positions_learned", bind="query-params")
    text: Text = st.segmented_control(
        "Side", TEXTS, default=TEXTS[0], required=True, key="positions_side", bind="query-params"
    )
    whole = learned_table(name, view.inputs.device, text)
    length = _size("Positions", "positions_length", text_length(view.run), "the run's", (2, _MOST))
    table = PositionTable("learned", whole.values[:length])
    st.html(tokens.note(describe(whole)))
    return table, text


def _show_encoding(run: Run, table: PositionTable, text: Text) -> tuple[int, int]:
    """Show all numbers, and beside them how one of them is made. Gives the picked one."""
    drawn, computed = st.columns([3, 2], gap="medium")
    with computed:
        st.html(tokens.heading("One number of it"))
        position = st.slider(
            "Position pos",
            0,
            table.length - 1,
            min(len(run.source.tokens) // 2, table.length - 1),
            key="positions_pos",
            bind="query-params",
        )
        dimension = st.slider(
            "Dimension",
            0,
            table.d_model - 1,
            min(table.d_model // 8, table.d_model - 1),
            key="positions_dim",
            bind="query-params",
        )
        st.latex(latex.general(table))
        st.latex(latex.worked(table, position, dimension))
        _check_against_run(run, table, text, position, dimension)
    with drawn:
        st.html(tokens.heading("All its numbers", shape=f"{table.length} × {table.d_model}"))
        show_figure(
            encoding_map(table.values, picked=(position, dimension), palette=palette()),
            key="positions_map",
            alt=f"Positional encoding of {table.length} positions in {table.d_model} dimensions",
        )
    return position, dimension


def _check_against_run(
    run: Run, table: PositionTable, text: Text, position: int, dimension: int
) -> None:
    """Compare the number with what the run added, where it is the run's own formula."""
    config = run.info.config
    captured = embedding_trace(run, text).positions.numpy()
    name = f"{text}_embedding.positions[{position}, {dimension}]"
    same: tuple[Positions, int] = (table.kind, table.d_model)
    if same != (config.positions, config.d_model) or table.base != _own_base(table):
        st.html(tokens.note("Not the encoding that this run added, so there is none to compare."))
    elif position >= len(captured):
        st.html(tokens.note(f"The {text} of this run ends at position {len(captured) - 1}."))
    else:
        error = abs(float(table.values[position, dimension] - captured[position, dimension]))
        st.html(
            tokens.badges([(error < _ROUNDING, f"equals {name} of this run", f"± {error:.1g}")])
        )


def _own_base(table: PositionTable) -> float:
    return PAPER_BASE if table.kind == "sinusoidal" else table.base
