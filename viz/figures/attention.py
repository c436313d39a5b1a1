"""Maps of attention weights: one head, and all heads of one kind side by side."""

from collections.abc import Iterator, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from viz.figures.axes import label_with_tokens, literal
from viz.figures.theme import LIGHT, Palette

_WIDEST = 400
_CELLS = (12, 44)
"""Side of a cell in pixels, at least and at most."""
_NARROWEST = 130
"""Of a map of one or two tokens, which is to have room for the titles of its axes."""
_TILE = 58
_TILE_GAP = 12
_HATCH_SPACING = 6
_COLORBAR = {
    "orientation": "h",
    "lenmode": "pixels",
    "len": 130,
    "thickness": 8,
    "x": 0,
    "xanchor": "left",
    "xpad": 0,
    "y": 0,
    "yanchor": "top",
    "ypad": 12,
    "outlinewidth": 0,
    "tickvals": [0, 0.5, 1],
    "ticktext": ["0", "weight", "1"],
    "ticks": "",
    "tickfont": {"size": 11},
}
"""Below the map; the hover text has the numbers."""


def attention_map(
    weights: Float[np.ndarray, "query key"],
    *,
    mask: Bool[np.ndarray, "query key"],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    query_title: str,
    key_title: str,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Heat map of one head. Row i shows how query token i spreads its weight over the keys.

    Masked cells (False in `mask`) are hatched, and keep the colour of whatever weight they have.
    """
    if weights.shape != (len(query_tokens), len(key_tokens)):
        raise ValueError(
            f"weights are {weights.shape[0]} x {weights.shape[1]}, but there are "
            f"{len(query_tokens)} query tokens and {len(key_tokens)} key tokens"
        )
    figure = go.Figure(
        go.Heatmap(
            z=weights,
            coloraxis="coloraxis",
            xgap=1,
            ygap=1,
            text=_hover_texts(weights, mask, query_tokens, key_tokens),
            hovertemplate="%{text}<extra></extra>",
        )
    )
    if not mask.all():
        figure.add_trace(_hatching(mask, palette))
    smallest, largest = _CELLS
    size = max(weights.shape)
    cell = max(smallest, min(max(largest, _NARROWEST // size), _WIDEST // size))
    label_with_tokens(
        figure,
        query_tokens=query_tokens,
        key_tokens=key_tokens,
        query_title=query_title,
        key_title=key_title,
        cell=cell,
        palette=palette,
    )
    figure.update_layout(
        coloraxis={"cmin": 0.0, "cmax": 1.0, "colorbar": _COLORBAR},
        plot_bgcolor=palette.grid,
        showlegend=False,
    )
    return figure


def head_tiles(
    weights: Float[np.ndarray, "layer head query key"],
    *,
    selected: tuple[int, int],
    palette: Palette = LIGHT,
) -> go.Figure:
    """All heads of one kind in one picture: a row for each layer, a column for each head.

    The second trace holds one invisible marker for each head, with (layer, head) as its
    `customdata`, because a click on a heat map itself is not reported.
    """
    n_layers, n_heads, n_queries, n_keys = weights.shape
    if not (0 <= selected[0] < n_layers and 0 <= selected[1] < n_heads):
        raise ValueError(
            f"selected must be a head of {n_layers} layers with {n_heads} heads, got {selected}"
        )
    pixels = _TILE / max(n_queries, n_keys)
    gap = max(1, round(_TILE_GAP / pixels))
    high, wide = n_queries + gap, n_keys + gap
    canvas = np.zeros((n_layers * high - gap, n_heads * wide - gap), dtype=np.uint8)
    for layer in range(n_layers):
        for head in range(n_heads):
            tile = np.round(weights[layer, head] * 255).clip(0, 255)
            top, left = layer * high, head * wide
            canvas[top : top + n_queries, left : left + n_keys] = tile
    figure = go.Figure(go.Heatmap(z=canvas, coloraxis="coloraxis", hoverinfo="skip"))

    middle_x = [head * wide + (n_keys - 1) / 2 for head in range(n_heads)]
    middle_y = [layer * high + (n_queries - 1) / 2 for layer in range(n_layers)]
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    figure.add_trace(
        go.Scatter(
            x=[middle_x[head] for _, head in heads],
            y=[middle_y[layer] for layer, _ in heads],
            customdata=heads,
            mode="markers",
            marker={"symbol": "square", "size": _TILE, "opacity": 0, "color": palette.accent},
            selected={"marker": {"opacity": 0}},
            unselected={"marker": {"opacity": 0}},
            hovertemplate="layer %{customdata[0]}, head %{customdata[1]}: click to open"
            "<extra></extra>",
        )
    )
    for layer, head in heads:
        chosen = (layer, head) == selected
        margin = 2 / pixels if chosen else 0
        figure.add_shape(
            type="rect",
            x0=head * wide - 0.5 - margin,
            x1=head * wide + n_keys - 0.5 + margin,
            y0=layer * high - 0.5 - margin,
            y1=layer * high + n_queries - 0.5 + margin,
            line={
                "color": palette.accent if chosen else palette.grid,
                "width": 2.5 if chosen else 1,
            },
        )
    edge = 0.5 + 4 / pixels
    rows, columns = canvas.shape
    figure.update_xaxes(
        side="top",
        tickvals=middle_x,
        ticktext=[f"H{head}" for head in range(n_heads)],
        range=[-edge, columns - 1 + edge],
        fixedrange=True,
        showline=False,
    )
    figure.update_yaxes(
        tickvals=middle_y,
        ticktext=[f"L{layer}" for layer in range(n_layers)],
        range=[rows - 1 + edge, -edge],
        fixedrange=True,
        showline=False,
    )
    margin = {"l": 30, "r": 2, "t": 24, "b": 2}
    figure.update_layout(
        coloraxis={"cmin": 0, "cmax": 255, "showscale": False},
        showlegend=False,
        width=round((columns + 2 * edge - 1) * pixels) + margin["l"] + margin["r"],
        height=round((rows + 2 * edge - 1) * pixels) + margin["t"] + margin["b"],
        margin={**margin, "autoexpand": False},
        dragmode=False,
        clickmode="event+select",
    )
    return figure


def _hover_texts(
    weights: Float[np.ndarray, "query key"],
    mask: Bool[np.ndarray, "query key"],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
) -> list[list[str]]:
    return [
        [
            f"query  {literal(query)}<br>key    {literal(key)}<br>weight {weight:.4f}"
            + ("" if allowed else "<br>masked")
            for key, weight, allowed in zip(key_tokens, row, mask_row, strict=True)
        ]
        for query, row, mask_row in zip(query_tokens, weights, mask, strict=True)
    ]


def _hatching(mask: Bool[np.ndarray, "query key"], palette: Palette) -> go.Scatter:
    """Draw the masked cells as one outline of many rectangles, filled with slanted lines."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row, start, end in _masked_stretches(mask):
        left, right, top, bottom = start - 0.5, end - 0.5, row - 0.5, row + 0.5
        x += [left, right, right, left, left, None]
        y += [top, top, bottom, bottom, top, None]
    return go.Scatter(
        name="masked",
        x=x,
        y=y,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillpattern={
            "shape": "/",
            "size": _HATCH_SPACING,
            "solidity": 0.18,
            "fgcolor": palette.hatch,
            "bgcolor": "rgba(0,0,0,0)",
        },
        hoverinfo="skip",
    )


def _masked_stretches(mask: Bool[np.ndarray, "query key"]) -> Iterator[tuple[int, int, int]]:
    """Yield (row, first key, key after the last) of each unbroken run of masked cells."""
    for row, allowed in enumerate(mask):
        edges = np.flatnonzero(np.diff(np.concatenate([[True], allowed, [True]]).astype(np.int8)))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            yield row, int(start), int(end)
