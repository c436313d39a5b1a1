"""What adding positions does: the parts of the sum on one scale of colours, and their lengths."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float
from plotly.subplots import make_subplots

from viz.pictures.axes import label, literal
from viz.pictures.theme import CHARACTER_WIDTH, LIGHT, MONO, Palette
from viz.subjects.positions.figures.frame import signed_colours, stand_side_by_side

_MAP = 190
_GAP = 16
_ROW = (4, 20)
_LONGEST_LABEL = 16
_SYMBOLS = ("circle-open", "circle", "diamond-open", "square")


def addition_maps(
    parts: Mapping[str, Float[np.ndarray, "position d_model"]],
    *,
    tokens: Sequence[str],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Heat maps side by side under one scale of colours, so that they can be compared by eye."""
    figure = make_subplots(rows=1, cols=len(parts), subplot_titles=[*parts], shared_yaxes=True)
    largest = max(float(np.abs(values).max()) for values in parts.values()) or 1.0
    names = [[literal(token)] for token in tokens]
    for column, (title, values) in enumerate(parts.items(), 1):
        d_model = values.shape[1]
        figure.add_heatmap(
            z=values.astype(np.float32),
            coloraxis="coloraxis",
            text=[name * d_model for name in names],
            hovertemplate=f"{title}<br>%{{text}}, position %{{y}}<br>dimension %{{x}}"
            "<br>%{z:.5f}<extra></extra>",
            row=1,
            col=column,
        )
        ticks = [0, d_model // 2, d_model - 1]
        figure.update_xaxes(tickvals=ticks, ticktext=[str(t) for t in ticks], row=1, col=column)
    least, most = _ROW
    row = max(least, min(most, 420 // len(tokens)))
    figure.update_xaxes(title={"text": "dimension", "standoff": 6}, fixedrange=True)
    figure.update_yaxes(range=[len(tokens) - 0.5, -0.5], fixedrange=True)
    figure.update_yaxes(**_token_ticks(tokens, row), row=1, col=1)
    left = _label_room(tokens)
    whole = stand_side_by_side(figure, len(parts), wide=_MAP, gap=_GAP, palette=palette)
    figure.update_layout(
        coloraxis=signed_colours(largest, palette, x=1, xpad=10),
        width=whole + left + 64,
        height=max(row * len(tokens), 60) + 84,
        margin={"l": left, "r": 64, "t": 32, "b": 52, "autoexpand": False},
        dragmode=False,
    )
    return figure


def length_dots(
    lengths: Mapping[str, Float[np.ndarray, " position"]],
    *,
    tokens: Sequence[str],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Length of each token's vectors, a mark of its own for each kind of vector."""
    colours = (palette.soft, palette.ink, palette.accent, palette.accent)
    figure = go.Figure()
    names = [literal(token) for token in tokens]
    for (title, values), symbol, colour in zip(lengths.items(), _SYMBOLS, colours, strict=False):
        figure.add_scatter(
            x=values,
            y=np.arange(len(tokens)),
            text=names,
            name=title,
            mode="markers",
            marker={"symbol": symbol, "size": 8, "color": colour, "line": {"width": 1.5}},
            hovertemplate=f"%{{text}}, position %{{y}}<br>{title}: length %{{x:.4f}}"
            "<extra></extra>",
        )
    least, most = _ROW
    row = max(least, min(most, 420 // len(tokens)))
    left = _label_room(tokens)
    figure.update_xaxes(
        title={"text": "length of the vector", "standoff": 6},
        rangemode="tozero",
        fixedrange=True,
        showgrid=True,
        gridcolor=palette.grid,
    )
    figure.update_yaxes(
        range=[len(tokens) - 0.5, -0.5],
        fixedrange=True,
        showgrid=True,
        gridcolor=palette.grid,
        **_token_ticks(tokens, row),
    )
    figure.update_layout(
        width=420 + left + 16,
        height=max(row * len(tokens), 60) + 106,
        margin={"l": left, "r": 16, "t": 54, "b": 52, "autoexpand": False},
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "xanchor": "left"},
        dragmode=False,
    )
    return figure


def _token_ticks(tokens: Sequence[str], row: int) -> dict:
    """Name the rows; where they are low, only some, each with room for its letters."""
    step = -(-13 // row)
    return {
        "tickvals": [*range(0, len(tokens), step)],
        "ticktext": [label(token) for token in tokens[::step]],
        "tickfont": {"family": MONO, "size": 12},
    }


def _label_room(tokens: Sequence[str]) -> int:
    longest = max(min(len(token), _LONGEST_LABEL) for token in tokens)
    return round(longest * CHARACTER_WIDTH) + 14
