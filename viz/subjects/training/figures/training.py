"""Curves and bars about training: schedules, smoothed targets and their loss, deep stacks."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int

from texts import say
from texts.saying import written
from viz.pictures.axes import label, literal
from viz.pictures.numbers import fixed, number_text
from viz.pictures.theme import LIGHT, Palette

_HEIGHT = 340
_MARGIN = {"l": 72, "r": 16, "t": 12, "b": 48}
_LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "xanchor": "left"}
_LINE_ROOM = 20
"""Height of a line of the legend."""
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
    dashes = ("solid", "dash", "dot", "dashdot")
    figure = go.Figure()
    for place, (name, values) in enumerate(rates.items()):
        figure.add_trace(
            go.Scatter(
                x=steps,
                y=values,
                name=name,
                mode="lines",
                line={
                    "color": colours[place % 4],
                    "dash": dashes[place % 4],
                    "width": 1.8 if place else 3,
                    "simplify": False,
                },
                hovertemplate="%{y:.3g}",
            )
        )
    _lay_out(
        figure,
        width,
        x_title=say("training.rate_step"),
        y_title=say("training.rate_axis"),
        palette=palette,
    )
    figure.update_xaxes(tickformat=",d")
    figure.update_yaxes(range=[0, 1.6 * peak], tickformat="~g")
    figure.update_layout(hovermode="x unified")
    return figure


def target_bars(
    distributions: Mapping[str, Float[np.ndarray, " id"]],
    *,
    tokens: Sequence[str],
    width: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Bars of some tokens, the first at the top, in several distributions; each has its number."""
    figure = go.Figure()
    colours = (palette.accent, palette.hatch)
    for place, (name, values) in enumerate(distributions.items()):
        if len(values) != len(tokens):
            raise ValueError(f"{name} has {len(values)} bars for {len(tokens)} tokens")
        figure.add_trace(
            go.Bar(
                x=values,
                y=np.arange(len(tokens)),
                name=name,
                orientation="h",
                text=[number_text(value) for value in values],
                textposition="outside",
                textfont={"size": 11},
                cliponaxis=False,
                marker={"color": colours[place % len(colours)]},
                customdata=[literal(token) for token in tokens],
                hovertemplate="%{customdata}: %{x:.6f}<extra>%{fullData.name}</extra>",
            )
        )
    _lay_out(figure, width, x_title=say("training.bars_axis"), y_title="", palette=palette)
    figure.update_xaxes(range=[0, 1.12], tickvals=[0, 0.5, 1])
    figure.update_yaxes(
        tickvals=[*range(len(tokens))],
        ticktext=[label(token) for token in tokens],
        range=[len(tokens) - 0.5, -0.5],
        showgrid=False,
        automargin=True,
    )
    figure.update_layout(bargap=0.3, bargroupgap=0.1)
    return figure


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
    figure = go.Figure()
    for name, values, colour, dash in (
        (say("training.curve_smoothed"), smoothed, palette.accent, "solid"),
        (say("training.curve_plain"), plain, palette.soft, "dot"),
    ):
        figure.add_trace(
            go.Scatter(
                x=x,
                y=values,
                name=name,
                mode="lines",
                line={"color": colour, "dash": dash, "width": 2.5, "simplify": False},
                customdata=probability,
                hovertemplate=f"{point}<extra></extra>",
            )
        )
    if best:
        figure.add_trace(_best_mark(best, palette))
    if tokens:
        figure.add_trace(_token_marks(tokens, palette))
    _lay_out(
        figure,
        width,
        x_title=say("training.curve_x"),
        y_title=say("training.nats_axis"),
        palette=palette,
    )
    shown = [p for p in _PROBABILITIES if probability[0] <= p <= probability[-1]]
    figure.update_xaxes(
        tickvals=log_odds(np.array(shown)), ticktext=[written(f"{p:g}") for p in shown]
    )
    figure.update_yaxes(rangemode="tozero")
    return figure


def _best_mark(best: tuple[float, float], palette: Palette) -> go.Scatter:
    given = number_text(best[0])
    point = say("training.curve_least_point", given=given, loss=fixed(best[1], 3))
    return go.Scatter(
        x=log_odds(np.array([best[0]])),
        y=[best[1]],
        name=say("training.curve_least", given=given),
        mode="markers",
        marker={"symbol": "diamond", "size": 12, "color": palette.gold},
        hovertemplate=f"{point}<extra></extra>",
    )


def _token_marks(tokens: Sequence[tuple[str, float, float]], palette: Palette) -> go.Scatter:
    given = np.array([probability for _, probability, _ in tokens])
    smallest = np.exp(-30)
    token, share = "%{customdata[0]}", "%{customdata[1]:.4f}"
    point = say("training.curve_token", token=token, given=share, loss="%{y:.3f}")
    return go.Scatter(
        x=log_odds(np.clip(given, smallest, 1 - 1e-12)),
        y=[loss for _, _, loss in tokens],
        name=say("training.curve_tokens"),
        mode="markers",
        marker={
            "size": 8,
            "color": "rgba(0,0,0,0)",
            "line": {"color": palette.ink, "width": 1.5},
        },
        customdata=[[literal(token), p] for token, p, _ in tokens],
        hovertemplate=f"{point}<extra></extra>",
    )


def log_odds(probability: Float[np.ndarray, " point"]) -> Float[np.ndarray, " point"]:
    """Stretch probabilities near 0 and near 1 alike."""
    return np.log(probability) - np.log1p(-probability)


def _lay_out(
    figure: go.Figure, width: int, *, x_title: str, y_title: str, palette: Palette
) -> None:
    figure.update_xaxes(title={"text": x_title}, showline=True, fixedrange=True)
    figure.update_yaxes(
        title={"text": y_title, "standoff": 14},
        showgrid=True,
        gridcolor=palette.grid,
        fixedrange=True,
    )
    figure.update_layout(
        width=width,
        height=_HEIGHT,
        margin={**_MARGIN, "t": _MARGIN["t"] + 2 * _LINE_ROOM},
        legend=_LEGEND,
        dragmode=False,
    )
