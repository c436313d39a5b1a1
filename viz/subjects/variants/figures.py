"""Curves over one axis, named in a legend: what the demonstrations of the variants draw."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.pictures.axes import axis, grid_lines, literal
from viz.pictures.numbers import number_text
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.variants.report import Lines

_SIZE = (560, 300)
_MARGIN = {"l": 62, "r": 16, "t": 44, "b": 46}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_KINDS = {True: "log", False: "linear"}


def curves(drawn: Lines, *, palette: Palette = LIGHT) -> go.Figure:
    """Draw some lines, told apart by colour and by dash, with upright lines at the marks."""
    width, height = _SIZE
    legend = {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 1.12 if drawn.marks else 1.06,
        "yanchor": "bottom",
    }
    return go.Figure(
        data=[
            _line(i, name, drawn.x, y, palette) for i, (name, y) in enumerate(drawn.lines.items())
        ],
        layout={
            "xaxis": axis(
                literal(drawn.x_title),
                type=_KINDS[drawn.log_x],
                ticklabelstandoff=4,
                **_powers(drawn.log_x, 2),
            ),
            "yaxis": axis(
                literal(drawn.y_title),
                type=_KINDS[drawn.log_y],
                rangemode="normal" if drawn.log_y else "tozero",
                **grid_lines(palette),
                **_powers(drawn.log_y, 1),
            ),
            "width": width,
            "height": height,
            "margin": _MARGIN,
            "hovermode": "x unified",
            "showlegend": True,
            "legend": legend,
            "shapes": [_mark(mark, palette) for mark in drawn.marks],
            "annotations": [_name(mark, palette) for mark in drawn.marks],
        },
    )


def _line(
    number: int,
    name: str,
    x: Float[np.ndarray, " x"],
    y: Float[np.ndarray, " x"],
    palette: Palette,
) -> dict[str, Any]:
    colours = (
        palette.accent,
        palette.query,
        palette.value,
        palette.gold,
        palette.key,
        palette.soft,
    )
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "name": literal(name),
        "mode": "lines",
        "line": {
            "color": colours[number % len(colours)],
            "dash": _DASHES[number % len(_DASHES)],
            "width": 2,
        },
        "hovertemplate": "%{y:.4g}",
    }


def _powers(logarithmic: bool, every: int) -> dict[str, Any]:
    return {"exponentformat": "power", "dtick": every} if logarithmic else {}


def _mark(x: float, palette: Palette) -> dict[str, Any]:
    line = {"color": palette.hatch, "width": 1}
    ends = {"xref": "x", "x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", **ends, "line": line}


def _name(x: float, palette: Palette) -> dict[str, Any]:
    """Write a mark's number above it; marks are on linear axes only."""
    return {
        "x": x,
        "xref": "x",
        "y": 1,
        "yref": "y domain",
        "text": f"{x:g}" if x == int(x) else number_text(x),
        "font": {"color": palette.soft},
        "xanchor": "center",
        "yanchor": "bottom",
        "showarrow": False,
    }
