"""What adding positions does: the parts of the sum on one scale of colours, and their lengths."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, grid_lines, label_room, literal, token_ticks
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.figures.frame import on_axes, side_by_side, signed_colours
from viz.subjects.positions.words import labels

_MAP = 190
_GAP = 16
_BAR = 64
"""Pixels to the right, where the bar of colours stands."""
_WIDE = 420
_HIGH = 420
_ROW = (4, 20)
_SYMBOLS = ("circle-open", "circle", "diamond-open", "square")


def addition_maps(
    parts: Mapping[str, Float[np.ndarray, "position d_model"]],
    *,
    tokens: Sequence[str],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Heat maps side by side under one scale of colours, so that they can be compared by eye."""
    largest = max(float(np.abs(values).max()) for values in parts.values()) or 1.0
    names = [[literal(token)] for token in tokens]
    row = _row_height(tokens)
    traces, axes = [], []
    for column, (title, values) in enumerate(parts.items()):
        d_model = values.shape[1]
        traces.append(
            {
                "type": "heatmap",
                "z": values.astype(np.float32),
                "coloraxis": "coloraxis",
                "text": [name * d_model for name in names],
                "hovertemplate": labels.sum_hover(title),
                **on_axes(column),
            }
        )
        ticks = [0, d_model // 2, d_model - 1]
        x = axis(
            say("positions.sum_axis"), standoff=6, tickvals=ticks, ticktext=[str(t) for t in ticks]
        )
        y = {"range": [len(tokens) - 0.5, -0.5], "fixedrange": True}
        shown = token_ticks(tokens, row) if column == 0 else {"showticklabels": False}
        axes.append((x, {**y, **shown}))
    left = label_room(tokens)
    whole, layout = side_by_side([*parts], axes, wide=_MAP, gap=_GAP, palette=palette)
    layout |= {
        "coloraxis": signed_colours(largest, palette, x=1, xpad=10),
        "width": whole + left + _BAR,
        "height": max(row * len(tokens), 60) + 84,
        "margin": {"l": left, "r": _BAR, "t": 32, "b": 52, "autoexpand": False},
        "dragmode": False,
    }
    return go.Figure(data=traces, layout=layout)


def length_dots(
    lengths: Mapping[str, Float[np.ndarray, " position"]],
    *,
    tokens: Sequence[str],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Length of each token's vectors, a mark of its own for each kind of vector."""
    colours = (palette.soft, palette.ink, palette.accent, palette.accent)
    names = [literal(token) for token in tokens]
    traces = [
        {
            "type": "scatter",
            "x": values,
            "y": np.arange(len(tokens)),
            "text": names,
            "name": title,
            "mode": "markers",
            "marker": {"symbol": symbol, "size": 8, "color": colour, "line": {"width": 1.5}},
            "hovertemplate": labels.length_hover(title),
        }
        for (title, values), symbol, colour in zip(lengths.items(), _SYMBOLS, colours, strict=False)
    ]
    row, left = _row_height(tokens), label_room(tokens)
    lines = grid_lines(palette)
    rows = {"range": [len(tokens) - 0.5, -0.5], "fixedrange": True, **token_ticks(tokens, row)}
    layout = {
        "xaxis": axis(say("positions.length_axis"), standoff=6, rangemode="tozero", **lines),
        "yaxis": {**rows, **lines},
        "width": _WIDE + left + 16,
        "height": max(row * len(tokens), 60) + 106,
        "margin": {"l": left, "r": 16, "t": 54, "b": 52, "autoexpand": False},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "xanchor": "left"},
        "dragmode": False,
    }
    return go.Figure(data=traces, layout=layout)


def _row_height(tokens: Sequence[str]) -> int:
    least, most = _ROW
    return max(least, min(most, _HIGH // len(tokens)))
