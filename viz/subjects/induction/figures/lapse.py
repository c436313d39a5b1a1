"""Curves of a training in which heads learn to copy."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from texts import say
from viz.pictures.axes import share_ticks
from viz.pictures.theme import LIGHT, Palette

_HEIGHT = 300


def lapse_curves(
    steps: Sequence[int],
    curves: Mapping[str, Sequence[float]],
    *,
    control: tuple[str, Sequence[tuple[int, float]]],
    at: int,
    last: int = 0,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Shares from 0 to 1 by step, the first curve standing out, and a line at one step.

    The axis ends at the `last` step where that is beyond those there are.
    """
    colours = (palette.ink, palette.accent, palette.gold)
    figure = go.Figure()
    for colour, (name, values) in zip(colours, curves.items(), strict=True):
        figure.add_trace(_line(name, steps, values, colour, "solid"))
    name, points = control
    if points:
        figure.add_trace(
            _line(name, [s for s, _ in points], [v for _, v in points], palette.soft, "dot")
        )
    figure.add_vline(x=at, line={"color": palette.soft, "width": 1})
    figure.update_xaxes(
        title={"text": say("induction.step_axis")},
        showline=True,
        fixedrange=True,
        range=[0, max(last, *steps)],
    )
    figure.update_yaxes(
        range=[0, 1.03],
        **share_ticks(1),
        showgrid=True,
        gridcolor=palette.grid,
        fixedrange=True,
    )
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 52, "r": 12, "t": 64, "b": 44},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "xanchor": "left"},
        dragmode=False,
        hovermode="x unified",
    )
    return figure


def _line(
    name: str, steps: Sequence[int], values: Sequence[float], colour: str, dash: str
) -> go.Scatter:
    return go.Scatter(
        x=list(steps),
        y=list(values),
        name=name,
        mode="lines+markers",
        marker={"size": 5},
        line={"color": colour, "dash": dash, "width": 2.4},
        hovertemplate="%{y:.1%}",
    )
