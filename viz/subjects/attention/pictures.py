"""The pictures of attention: all heads, one head, one cell."""

from collections.abc import Callable

import streamlit as st

from viz.pictures.component import picture
from viz.run.axes import AttentionKind
from viz.run.record import Run
from viz.subjects.attention.formulas import cell_formulas
from viz.subjects.attention.wire import WireHeads, WireScaling, WireSwitch

HEADS = "heads"
"""The key of the thumbnails."""
DIVISOR = "divisor"
"""The key of the slider for the divisor of the scores."""

_heads = picture("heads", "subjects/attention/browser/heads.js", sends={"switch": WireSwitch})
_head = picture("head", "subjects/attention/browser/head.js")
_cell = picture("cell", "subjects/attention/browser/cell.js")
_cell_words = picture("cell_words", "subjects/attention/browser/cell_words.js")
_divisor = picture("divisor", "subjects/attention/browser/divisor.js", sends={"turn": float})
_reading = picture("reading", "subjects/attention/browser/reading.js")


def show_heads(heads: WireHeads, *, on_switch: Callable[[], None]) -> None:
    """Show a thumbnail of every head of the selected kind, to select it or to switch it off."""
    _heads(key=HEADS, data=heads, on_switch_change=on_switch)


def show_head(run_key: str) -> None:
    """Show the selected head as a heat map and as lines between tokens."""
    _head(key="head", data={"run": run_key})


def show_reading(heads: WireHeads) -> None:
    """Describe what the selected row reads most, and in which head."""
    _reading(key="reading_words", data=heads)


def show_cell() -> None:
    """Describe how the weight of the selected cell is computed."""
    _cell_words(key="cell_card", data={})


def show_divisor(scaling: WireScaling, *, on_turn: Callable[[], None]) -> None:
    """Show one row under other divisors, and call back with the divisor at which it was left."""
    _divisor(key=DIVISOR, data=scaling, on_turn_change=on_turn)


def show_numbers(run: Run, kind: AttentionKind, layer: int) -> None:
    """Draw every number of the selected cell, each step with its formula.

    Markdown puts the formulas on the page, hidden; the picture copies each into its step.
    """
    with st.container(key="cell_formulas"):
        st.markdown(cell_formulas(run, kind, layer))
    _cell(key="cell_numbers", data={})
