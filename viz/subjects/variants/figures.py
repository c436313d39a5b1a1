"""Curves by layer, with a legend: the gradients of deep models."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, grid_lines, literal
from viz.pictures.figures import DASHES, LEGEND, curve, figure
from viz.pictures.theme import LIGHT, Palette


def curves(
    lines: Mapping[str, Float[np.ndarray, " layer"]], *, palette: Palette = LIGHT
) -> go.Figure:
    """Draw two curves on a logarithmic scale, distinguished by colour and by dash."""
    powers = {"type": "log", "exponentformat": "power", "dtick": 1}
    styles = zip((palette.accent, palette.query), DASHES, lines.items(), strict=False)
    return figure(
        [
            curve(
                np.arange(float(len(y))),
                y,
                colour,
                2,
                dash=dash,
                name=literal(name),
                hovertemplate="%{y:.4g}",
            )
            for colour, dash, (name, y) in styles
        ],
        x=axis(literal(say("variants.gradient_x")), ticklabelstandoff=4),
        y=axis(literal(say("variants.gradient_y")), **powers, **grid_lines(palette)),
        width=560,
        height=300,
        margin=(62, 16, 44, 46),
        hovermode="x unified",
        showlegend=True,
        legend={**LEGEND, "y": 1.06},
    )
