"""Curves of a training in which heads learn to copy."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from texts import say
from viz.pictures.axes import axis, grid_lines, share_ticks
from viz.pictures.figures import LEGEND, Values, curve, figure, line_upwards
from viz.pictures.theme import LIGHT, Palette

_HEIGHT = 300


def lapse_curves(
    steps: Sequence[int],
    curves: Mapping[str, Sequence[float]],
    *,
    control: tuple[str, Sequence[tuple[int, float]]],
    at: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw shares from 0 to 1 by step, with the first curve highlighted and a line at one step."""
    colours = (palette.ink, palette.accent, palette.gold)
    traces = [
        _line(name, steps, values, colour, "solid")
        for colour, (name, values) in zip(colours, curves.items(), strict=True)
    ]
    name, points = control
    if points:
        at_steps, values = zip(*points, strict=True)
        traces.append(_line(name, at_steps, values, palette.soft, "dot"))
    shares = {"range": [0, 1.03], "fixedrange": True, **share_ticks(1), **grid_lines(palette)}
    across = {"range": [0, max(steps)], "showline": True}
    return figure(
        traces,
        x=axis(say("induction.step_axis"), standoff=None, **across),
        y=shares,
        height=_HEIGHT,
        margin=(52, 12, 64, 44),
        legend=LEGEND,
        hovermode="x unified",
        shapes=[line_upwards(at, {"color": palette.soft, "width": 1})],
    )


def _line(
    name: str, steps: Sequence[int], values: Sequence[float], colour: str, dash: str
) -> Values:
    told = {"name": name, "hovertemplate": "%{y:.1%}"}
    return curve([*steps], [*values], colour, 2.4, dash=dash, size=5, **told)
