"""The part of the page on training about label smoothing."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from jaxtyping import Float

from texts import say
from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.run.address import bound
from viz.run.link import current_selection, select
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.training import words
from viz.subjects.training.figures.training import smoothed_loss_curve, target_bars
from viz.subjects.training.smoothing import (
    best_probability,
    least_loss,
    loss_at,
    target_distribution,
    token_losses,
)

_WIDTH = 432
_OTHERS_SHOWN = 5
"""Tokens beside the correct one in the bars: those that the model finds likeliest."""
_PAPER_SMOOTHING = 0.1
_SMOOTHINGS = (0.0, 0.5)
_LOG_ODDS = (-7.0, 9.5)
"""Ends of the curve: probabilities of 0.0009 and 0.99993."""


def show_smoothing(view: View) -> None:
    """Show the smoothed target of one token of the run, and what predictions cost under it."""
    run = view.run
    st.html(tokens.note(say("training.smoothing_heading")))
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        smoothing = st.slider(
            say("training.smoothing"),
            *_SMOOTHINGS,
            step=0.01,
            key=bound(
                "smoothing",
                float(run.info.training.get("label_smoothing", _PAPER_SMOOTHING)),
                within=_SMOOTHINGS,
            ),
            width=260,
        )
        step = _choose_step(run)
    with st.container(horizontal=True, gap="small"):
        show_figure(
            _bars(run, step, smoothing),
            key="smoothing_bars",
            alt=say("training.bars_alt"),
        )
        show_figure(
            _curve(run, smoothing),
            key="smoothing_curve",
            alt=say("training.curve_alt"),
        )
    st.html("".join(map(tokens.note, _sentences(run, smoothing))))


def _choose_step(run: Run) -> int:
    """Let a token of the run be chosen; it is the step that all pages share."""
    key = "smoothing_step"
    st.session_state[key] = current_selection(run).step
    return st.selectbox(
        say("training.correct_token"),
        range(len(run.steps)),
        format_func=lambda step: say(
            "training.step_token", step=step, token=run.target_tokens[step + 1]
        ),
        key=key,
        on_change=_take_step,
        args=(key,),
        width=260,
    )


def _take_step(key: str) -> None:
    select({"step": st.session_state[key]})


def _bars(run: Run, step: int, smoothing: float) -> go.Figure:
    """Draw the right token and the likeliest others, each as asked for and as predicted."""
    taken = run.steps[step]
    predicted = taken.probabilities.numpy().astype(np.float64)
    target = target_distribution(taken.token, len(predicted), smoothing)
    others = [int(i) for i in np.argsort(-predicted) if i != taken.token][:_OTHERS_SHOWN]
    shown = [taken.token, *others]
    return target_bars(
        {say("training.bar_target"): target[shown], say("training.bar_model"): predicted[shown]},
        tokens=run.info.tokenizers.target.tokens(shown),
        width=_WIDTH,
        palette=palette(),
    )


def _curve(run: Run, smoothing: float) -> go.Figure:
    size = run.info.config.target_vocab_size
    given = _probabilities()
    best = (best_probability(size, smoothing), least_loss(size, smoothing))
    return smoothed_loss_curve(
        given,
        loss_at(given, size, smoothing),
        loss_at(given, size, 0.0),
        best=best if smoothing else None,
        tokens=token_losses(run, smoothing),
        width=_WIDTH,
        palette=palette(),
    )


def _probabilities() -> Float[np.ndarray, " point"]:
    """Space probabilities evenly in their log-odds."""
    return 1 / (1 + np.exp(-np.linspace(*_LOG_ODDS, 200)))


def _sentences(run: Run, smoothing: float) -> list[str]:
    size = run.info.config.target_vocab_size
    return words.smoothing_words(
        size,
        smoothing,
        best_probability(size, smoothing),
        least_loss(size, smoothing),
        float(loss_at(np.array([words.OVER_CONFIDENT]), size, smoothing)[0]),
    )
