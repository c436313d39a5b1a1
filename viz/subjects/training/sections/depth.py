"""The part of the page on training about deep stacks."""

from collections.abc import Sequence

import streamlit as st

from texts import say
from viz.frame.controls import palette, show_figure
from viz.frame.link_choices import choose_one, choose_some
from viz.pictures import tokens
from viz.run.view import View
from viz.subjects.training import cache, words
from viz.subjects.training.depth import DepthRecord, DepthRun
from viz.subjects.training.figures.depth import Line, depth_losses, layer_gradients

_WIDE = 860
_TALL = 380


def show_depth(view: View) -> None:  # noqa: ARG001 - these trainings are of no run
    """Show recorded trainings of deep stacks: their losses, and what reaches each layer."""
    record = cache.depth_record()
    st.html(tokens.note(words.depth_note(record)))
    titles = {run.name: words.depth_name(run) for run in record.runs}
    chosen = choose_some(
        say("training.depth_runs"), list(titles), titles.__getitem__, key="depth_runs"
    )
    runs = [run for run in record.runs if run.name in chosen]
    if not runs:
        st.html(tokens.note(say("training.depth_none")))
        return
    _show_losses(record, runs)
    step = _show_gradients(runs)
    st.html("".join(map(tokens.note, words.depth_words(record, runs, step))))


def _show_losses(record: DepthRecord, runs: Sequence[DepthRun]) -> None:
    st.html(tokens.heading(say("training.depth_loss")))
    show_figure(
        depth_losses(
            [Line(words.depth_name(run), run.norm_placement == "pre", run.losses) for run in runs],
            every=record.loss_every,
            unigram=record.unigram_loss,
            width=_WIDE,
            height=_TALL,
            palette=palette(),
        ),
        key="depth_losses",
        alt=say("training.depth_loss_alt"),
    )


def _show_gradients(runs: Sequence[DepthRun]) -> int:
    """Show the gradients at a step that is chosen; return the step."""
    steps = sorted(set.intersection(*(set(run.gradients) for run in runs)))
    st.html(tokens.heading(say("training.depth_gradients")))
    step = choose_one(say("training.at_step"), steps, key="depth_step")
    stacks = {
        stack: [
            Line(words.depth_name(run), run.norm_placement == "pre", run.gradients[step][stack])
            for run in runs
        ]
        for stack in ("encoder", "decoder")
    }
    show_figure(
        layer_gradients(stacks, width=_WIDE, height=_TALL, palette=palette()),
        key="depth_gradients",
        alt=say("training.depth_gradients_alt"),
    )
    return step
