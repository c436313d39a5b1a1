"""The part of the page on training about label smoothing."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from jaxtyping import Float

from viz.frame.controls import palette, show_figure
from viz.pictures import tokens
from viz.run.link import select
from viz.run.record import Run
from viz.run.selection import Selection
from viz.run.view import View
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
"""Tokens beside the right one in the bars: those that the model finds likeliest."""
_PAPER_SMOOTHING = 0.1
_LOG_ODDS = (-7.0, 9.5)
"""Ends of the curve: probabilities of 0.0009 and 0.99993."""
_OVER_CONFIDENT = 0.9999


def show_smoothing(view: View, selection: Selection) -> None:
    """Show the smoothed target of one token of the run, and what predictions cost under it."""
    run = view.run
    size = run.info.config.target_vocab_size
    st.html(tokens.heading("The target that training asks for, and what predictions then cost"))
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        smoothing = st.slider(
            "Label smoothing ε",
            0.0,
            0.5,
            float(run.info.training.get("label_smoothing", _PAPER_SMOOTHING)),
            0.01,
            key="smoothing",
            bind="query-params",
            width=260,
        )
        step = _choose_step(run, selection)
    with st.container(horizontal=True, gap="small"):
        show_figure(
            _bars(run, step, smoothing),
            key="smoothing_bars",
            alt="the target distribution and the model's own",
        )
        show_figure(
            _curve(run, smoothing),
            key="smoothing_curve",
            alt="loss by the probability given to the right token",
        )
    st.html("".join(tokens.note(words) for words in _words(size, smoothing)))


def _choose_step(run: Run, selection: Selection) -> int:
    """Let a token of the run be chosen; it is the step that all pages share."""
    key = "smoothing_step"
    st.session_state[key] = selection.step
    return st.selectbox(
        "Right token",
        range(len(run.steps)),
        format_func=lambda step: f"step {step}: {run.target_tokens[step + 1]}",
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
        {"target": target[shown], "this model": predicted[shown]},
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


def _words(size: int, smoothing: float) -> list[str]:
    """Say in numbers what the figures show."""
    if not smoothing:
        return ["Without smoothing the loss falls for ever as the right token gets more."]
    best, least = best_probability(size, smoothing), least_loss(size, smoothing)
    sure = float(loss_at(np.array([_OVER_CONFIDENT]), size, smoothing)[0])
    return [
        f"The target gives the right token 1 − ε + ε/V = {best:.4f} and each of the other "
        f"{size - 1:,} tokens ε/V = {smoothing / size:.2g}, with V = {size:,} tokens.",
        f"So the loss is least, {least:.3f} nats, where the right token is given {best:.4f} and "
        f"the others share the rest evenly. It is not zero: it is the entropy of the target. "
        f"A prediction of {_OVER_CONFIDENT} costs {sure:.3f}: being surer costs more.",
        "The curve is the least that a prediction can cost. Tokens of this run lie above it as far "
        "as their model spreads the rest unevenly.",
    ]
