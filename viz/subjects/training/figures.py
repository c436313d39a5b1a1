"""Curves about training: schedules, and the smoothed loss."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int

from texts import say
from texts.saying import written
from viz.pictures.axes import axis, grid_lines, literal
from viz.pictures.figures import DASHES, LEGEND, Values, curve, dots, figure
from viz.pictures.numbers import fixed, number_text
from viz.pictures.theme import LIGHT, Palette

_HEIGHT = 340
_MARGIN = (72, 16, 52, 48)
_PROBABILITIES = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
"""Ticks of the axis of log-odds."""


def schedule_curves(
    steps: Int[np.ndarray, " point"],
    rates: Mapping[str, Float[np.ndarray, " point"]],
    *,
    peak: float,
    width: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Learning rates by step, the first one standing out. What is above 1.6 peaks is cut off."""
    colours = (palette.accent, palette.gold, palette.ink, palette.soft)
    lines = [
        curve(
            steps,
            values,
            colours[place % 4],
            1.8 if place else 3,
            dash=DASHES[place % 4],
            name=name,
            hovertemplate="%{y:.3g}",
        )
        for place, (name, values) in enumerate(rates.items())
    ]
    x = axis(say("training.rate_step"), standoff=None, showline=True, tickformat=",d")
    levels = {"range": [0, 1.6 * peak], "tickformat": "~g"}
    y = axis(say("training.rate_axis"), standoff=14, **levels, **grid_lines(palette))
    return _figure(lines, width, x, y, hovermode="x unified")


def smoothed_loss_curve(
    probability: Float[np.ndarray, " point"],
    smoothed: Float[np.ndarray, " point"],
    plain: Float[np.ndarray, " point"],
    *,
    best: tuple[float, float] | None,
    tokens: Sequence[tuple[str, float, float]],
    width: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Loss by the probability of the right token, on an axis of log-odds, with and without.

    `best` is the minimum of the smoothed one, where it has one; `tokens` are those of a run:
    (token, probability, loss).
    """
    x = log_odds(probability)
    point = say("training.curve_point", given="%{customdata:.4f}", loss="%{y:.3f}")
    told = {"customdata": probability, "hovertemplate": f"{point}<extra></extra>"}
    traces = [
        curve(x, values, colour, 2.5, dash=dash, name=name, **told)
        for name, values, colour, dash in (
            (say("training.curve_smoothed"), smoothed, palette.accent, "solid"),
            (say("training.curve_plain"), plain, palette.soft, "dot"),
        )
    ]
    if best:
        traces.append(_best_mark(best, palette))
    if tokens:
        traces.append(_token_marks(tokens, palette))
    shown = [p for p in _PROBABILITIES if probability[0] <= p <= probability[-1]]
    ticks = {"tickvals": log_odds(np.array(shown)), "ticktext": [written(f"{p:g}") for p in shown]}
    lines = grid_lines(palette)
    return _figure(
        traces,
        width,
        axis(say("training.curve_x"), standoff=None, showline=True, **ticks),
        axis(say("training.nats_axis"), standoff=14, rangemode="tozero", **lines),
    )


def _best_mark(best: tuple[float, float], palette: Palette) -> Values:
    given = number_text(best[0])
    point = say("training.curve_least_point", given=given, loss=fixed(best[1], 3))
    return dots(
        log_odds(np.array([best[0]])),
        [best[1]],
        {"symbol": "diamond", "size": 12, "color": palette.gold},
        name=say("training.curve_least", given=given),
        hovertemplate=f"{point}<extra></extra>",
    )


def _token_marks(tokens: Sequence[tuple[str, float, float]], palette: Palette) -> Values:
    given = np.array([probability for _, probability, _ in tokens])
    smallest = np.exp(-30)
    token, share = "%{customdata[0]}", "%{customdata[1]:.4f}"
    point = say("training.curve_token", token=token, given=share, loss="%{y:.3f}")
    ring = {"size": 8, "color": "rgba(0,0,0,0)", "line": {"color": palette.ink, "width": 1.5}}
    return dots(
        log_odds(np.clip(given, smallest, 1 - 1e-12)),
        [loss for _, _, loss in tokens],
        ring,
        name=say("training.curve_tokens"),
        customdata=[[literal(token), p] for token, p, _ in tokens],
        hovertemplate=f"{point}<extra></extra>",
    )


def log_odds(probability: Float[np.ndarray, " point"]) -> Float[np.ndarray, " point"]:
    """Stretch probabilities near 0 and near 1 alike."""
    return np.log(probability) - np.log1p(-probability)


def _figure(
    traces: Sequence[Values],
    width: int,
    x: Values,
    y: Values,
    **layout: Any,  # noqa: ANN401
) -> go.Figure:
    own = {"width": width, "legend": LEGEND, **layout}
    return figure(traces, x=x, y=y, height=_HEIGHT, margin=_MARGIN, **own)
