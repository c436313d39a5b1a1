"""The part of the page on training about label smoothing."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from jaxtyping import Float

from texts import say
from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.run.address import bound
from viz.run.record import Run
from viz.run.view import View
from viz.subjects.training import words
from viz.subjects.training.figures import smoothed_loss_curve
from viz.subjects.training.smoothing import (
    best_probability,
    least_loss,
    loss_at,
    token_losses,
)

_WIDTH = 860
_PAPER_SMOOTHING = 0.1
_SMOOTHINGS = (0.0, 0.5)
_LOG_ODDS = (-7.0, 9.5)
"""Ends of the curve: probabilities of 0.0009 and 0.99993."""


def show_smoothing(view: View) -> None:
    """Show what predictions cost under a smoothed target."""
    run = view.run
    st.html(tokens.note(say("training.smoothing_heading")))
    usual = float(run.info.training.get("label_smoothing", _PAPER_SMOOTHING))
    smoothing = st.slider(
        say("training.smoothing"),
        *_SMOOTHINGS,
        step=0.01,
        key=bound("smoothing", usual, within=_SMOOTHINGS),
        width=260,
    )
    show_figure(_curve(run, smoothing), key="smoothing_curve", alt=say("training.curve_alt"))
    st.html("".join(map(tokens.note, _sentences(run, smoothing))))


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
