"""An encoding drawn: all its numbers as one map."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, number_ticks
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.figures.frame import Values, box, framed, signed_colours
from viz.subjects.positions.words import labels

_WIDE, _HIGH = 430, 380
"""Most room of the heat map, in pixels."""
_ROW = (1, 22)
"""Height of one position, at least and at most."""
_GRID_FROM = 6
"""Pixels of a cell from which lines are drawn between cells."""
_BAR = {
    "orientation": "h",
    "lenmode": "pixels",
    "len": 160,
    "x": 0,
    "xanchor": "left",
    "xpad": 0,
    "y": 0,
    "yanchor": "top",
    "ypad": 12,
}


def encoding_map(
    values: Float[np.ndarray, "position d_model"],
    *,
    picked: tuple[int, int],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Heat map of an encoding: a row for each position, a column for each dimension."""
    length, d_model = values.shape
    least, most = _ROW
    row = max(least, min(most, _HIGH // length))
    gap = int(min(row, _WIDE / d_model) >= _GRID_FROM)
    cells = {
        "type": "heatmap",
        "z": values.astype(np.float32),
        "coloraxis": "coloraxis",
        "xgap": gap,
        "ygap": gap,
        "hovertemplate": labels.encoding_hover(),
    }
    high = length * row
    columns = {"range": [-0.5, d_model - 0.5], **number_ticks(d_model)}
    rows = {"range": [length - 0.5, -0.5], **number_ticks(length, most=max(2, high // 22))}
    return framed(
        [cells],
        size=(_WIDE, high),
        x=axis(say("positions.dimension_axis"), standoff=10, **columns),
        y=axis(say("positions.position_axis"), **rows),
        top=True,
        below=44,
        shapes=_frame_of(picked, palette),
        coloraxis=signed_colours(float(np.abs(values).max()) or 1.0, palette, **_BAR),
        plot_bgcolor=palette.grid,
    )


def _frame_of(picked: tuple[int, int], palette: Palette) -> list[Values]:
    """Frame one cell twice, so that it is seen on every colour."""
    position, dimension = picked
    x, y = (dimension - 0.5, dimension + 0.5), (position - 0.5, position + 0.5)
    return [box(x, y, palette.panel, 6), box(x, y, palette.accent, 3)]
