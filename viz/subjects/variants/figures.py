"""Curves over one axis, named in a legend: what the demonstrations of the variants draw."""

import plotly.graph_objects as go

from viz.pictures.axes import axis, grid_lines, literal
from viz.pictures.figures import DASHES, LEGEND, curve, figure
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.variants.report import Lines


def curves(drawn: Lines, *, palette: Palette = LIGHT) -> go.Figure:
    """Draw some lines, told apart by colour and by dash."""
    colours = (
        palette.accent,
        palette.query,
        palette.value,
        palette.gold,
        palette.key,
        palette.soft,
    )
    powers = {"type": "log", "exponentformat": "power", "dtick": 1}
    return figure(
        [
            curve(
                drawn.x,
                y,
                colours[i % len(colours)],
                2,
                dash=DASHES[i % len(DASHES)],
                name=literal(name),
                hovertemplate="%{y:.4g}",
            )
            for i, (name, y) in enumerate(drawn.lines.items())
        ],
        x=axis(literal(drawn.x_title), ticklabelstandoff=4),
        y=axis(literal(drawn.y_title), **powers, **grid_lines(palette)),
        width=560,
        height=300,
        margin=(62, 16, 44, 46),
        hovermode="x unified",
        showlegend=True,
        legend={**LEGEND, "y": 1.06},
    )
