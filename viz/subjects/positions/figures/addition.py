"""What adding positions does: the parts of the sum on one scale of colours."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, label_room, literal, token_rows
from viz.pictures.figures import side_by_side, signed_colours
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.words import labels

_MAP = 190
_GAP = 16
_BAR = 64
"""Pixels to the right, where the bar of colours stands."""
_HIGH = 420
_ROW = (4, 20)


def addition_maps(
    parts: Mapping[str, Float[np.ndarray, "position d_model"]],
    *,
    tokens: Sequence[str],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Heat maps side by side under one scale of colours, so that they can be compared by eye."""
    largest = max(float(np.abs(values).max()) for values in parts.values()) or 1.0
    names = [[literal(token)] for token in tokens]
    row, plots = _row_height(tokens), {}
    for title, values in parts.items():
        d_model = values.shape[1]
        cells = {
            "type": "heatmap",
            "z": values.astype(np.float32),
            "coloraxis": "coloraxis",
            "text": [name * d_model for name in names],
            "hovertemplate": labels.sum_hover(title),
        }
        ticks = [0, d_model // 2, d_model - 1]
        shown = {"tickvals": ticks, "ticktext": [str(t) for t in ticks]}
        y = {**token_rows(tokens, row), "showticklabels": not plots}
        plots[title] = ([cells], axis(say("positions.sum_axis"), standoff=6, **shown), y)
    return side_by_side(
        plots,
        wide=_MAP,
        high=max(row * len(tokens), 60),
        gap=_GAP,
        margin=(label_room(tokens), _BAR, 32, 52),
        palette=palette,
        coloraxis=signed_colours(largest, palette, x=1, xpad=10),
    )


def _row_height(tokens: Sequence[str]) -> int:
    return int(np.clip(_HIGH // len(tokens), *_ROW))
