"""An encoding drawn: all its numbers as one map."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, columns, rows
from viz.pictures.figures import ABOVE, box, framed, signed_colours
from viz.pictures.theme import LIGHT, Palette
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
    row = int(np.clip(_HIGH // length, *_ROW))
    gap = int(min(row, _WIDE / d_model) >= _GRID_FROM)
    cells = {
        "type": "heatmap",
        "z": values.astype(np.float32),
        "coloraxis": "coloraxis",
        "xgap": gap,
        "ygap": gap,
        "hovertemplate": labels.encoding_hover(),
    }
    position, dimension = picked
    at = (dimension, dimension), (position, position)
    return framed(
        [cells],
        size=(_WIDE, length * row),
        x=axis(say("positions.dimension_axis"), standoff=10, side="top", **columns(d_model)),
        y=axis(say("positions.position_axis"), **rows(length, max(2, length * row // 22))),
        margin=(*ABOVE[:3], 44),
        shapes=[box(*at, palette.panel, 6), box(*at, palette.accent, 3)],  # seen on every colour
        coloraxis=signed_colours(float(np.abs(values).max()) or 1.0, palette, **_BAR),
        plot_bgcolor=palette.grid,
    )
