"""Curves over one axis, named in a legend: what the demonstrations of the variants draw."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.pictures.axes import axis, grid_lines, literal
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.variants.report import Lines

_SIZE = (560, 300)
_MARGIN = {"l": 62, "r": 16, "t": 44, "b": 46}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def curves(drawn: Lines, *, palette: Palette = LIGHT) -> go.Figure:
    """Draw some lines, told apart by colour and by dash."""
    width, height = _SIZE
    legend = {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 1.06,
        "yanchor": "bottom",
    }
    return go.Figure(
        data=[
            _line(i, name, drawn.x, y, palette) for i, (name, y) in enumerate(drawn.lines.items())
        ],
        layout={
            "xaxis": axis(literal(drawn.x_title), ticklabelstandoff=4),
            "yaxis": axis(
                literal(drawn.y_title),
                type="log",
                exponentformat="power",
                dtick=1,
                **grid_lines(palette),
            ),
            "width": width,
            "height": height,
            "margin": _MARGIN,
            "hovermode": "x unified",
            "showlegend": True,
            "legend": legend,
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
