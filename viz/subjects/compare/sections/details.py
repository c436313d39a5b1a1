"""The folds of the Compare page: distances between the states and the outputs of two runs."""

from functools import partial

import numpy as np
import streamlit as st

from texts import say, say_of
from viz.frame.expander import fold
from viz.pictures import tokens
from viz.pictures.panels import Panel, show_panels
from viz.run.axes import axis_tokens
from viz.run.view import View
from viz.subjects.compare import words
from viz.subjects.compare.cache import stages_of, steps_of
from viz.subjects.compare.comparability import Shared
from viz.subjects.compare.report import stage_bars, steps_table
from viz.subjects.compare.stages import StageChange, first_to_differ


def show_folds(a: View, b: View, shared: Shared) -> None:
    """Offer the other comparisons of two runs."""
    with st.container(gap="xsmall"):
        if shared.states:
            fold(say("compare.stages"), partial(_show_stages, a, b), key="compare_stages")
        if shared.outputs:
            fold(say("compare.steps"), partial(_show_steps, a, b), key="compare_steps")


def _show_stages(a: View, b: View) -> None:
    stages = stages_of(a, b)
    first = first_to_differ(stages)
    st.html(tokens.note(words.say_first(first, _words_where(a, b, first))))
    st.html(stage_bars(stages))
    sides = [stack.name for stack in a.run.anatomy.stacks]
    panels = [_stage_panel(a, b, stages, side) for side in sides]
    show_panels(panels, key="compare_stage_maps", width=420, height=260, cell=30)
    st.html(tokens.note(say("compare.stages_note")))


def _words_where(a: View, b: View, stage: StageChange | None) -> list[str]:
    """Name the positions at which a stage differs."""
    if stage is None:
        return []
    named = _position_names(a, b, stage)
    changed = zip(stage.by_position, stage.rows, named, strict=True)
    return [name for value, pair, name in changed if None in pair or value > 0]


def _position_names(a: View, b: View, stage: StageChange) -> list[str]:
    encoder = stage.side == "encoder"
    kind = "encoder self-attention" if encoder else "decoder self-attention"
    texts = [axis_tokens(r, kind)[0] for r in (a.run, b.run)]
    return [words.pair_label(pair, texts[0], texts[1]) for pair in stage.rows]


def _stage_panel(a: View, b: View, stages: tuple[StageChange, ...], side: str) -> Panel:
    shown = [stage for stage in stages if stage.side == side]
    values = np.stack([stage.by_position for stage in shown])
    return Panel(
        title=say_of("compare.spread", side),
        values=values,
        scale="signed",
        group=f"compare {side}",
        axes=("stage", f"{side} position"),
        row_tokens=[words.stage_label(stage.name) for stage in shown],
        column_tokens=_position_names(a, b, shown[0]),
        masked=np.isnan(values),
    )


def _show_steps(a: View, b: View) -> None:
    st.html(steps_table(steps_of(a, b), a.run, b.run))
    st.html(tokens.note(say("compare.steps_note")))
