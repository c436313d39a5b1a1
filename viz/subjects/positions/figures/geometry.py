"""How encoded positions lie to each other: products, and numbers by how far apart they are."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.figures.frame import draw_level_lines, lay_out, number_ticks

_SIDE = 320
_BESIDE = 390


def product_map(
    products: Float[np.ndarray, "row column"], *, picked: int, palette: Palette = LIGHT
) -> go.Figure:
    """Heat map of the Gram matrix: the dot product of every two encodings."""
    length = len(products)
    largest = float(np.abs(products).max()) or 1.0
    figure = go.Figure(
        go.Heatmap(
            z=products.astype(np.float32),
            zmin=-largest,
            zmax=largest,
            colorscale=list(palette.diverging),
            showscale=False,
            hovertemplate="PE(%{y})·PE(%{x}) = %{z:.4f}<extra></extra>",
        )
    )
    figure.add_shape(
        type="rect",
        x0=-0.5,
        x1=length - 0.5,
        y0=picked - 0.5,
        y1=picked + 0.5,
        line={"color": palette.accent, "width": 2},
    )
    lay_out(figure, wide=_SIDE, high=_SIDE, x_title="position j", y_title="position i", top=True)
    figure.update_xaxes(range=[-0.5, length - 0.5], **number_ticks(length))
    figure.update_yaxes(range=[length - 0.5, -0.5], **number_ticks(length))
    return figure


def band(
    lowest: Float[np.ndarray, " offset"],
    middle: Float[np.ndarray, " offset"] | None,
    highest: Float[np.ndarray, " offset"],
    *,
    first: int,
    x_title: str,
    y_title: str,
    name: str,
    wide: int = _BESIDE,
    marked: Sequence[int] = (),
    palette: Palette = LIGHT,
) -> go.Figure:
    """One number for each offset k from `first` on: its range over all positions, and its mean.

    `marked` offsets get a ring and their number on the lowest line.
    """
    offsets = np.arange(first, first + len(lowest))
    figure = go.Figure()
    figure.add_scatter(
        x=np.concatenate([offsets, offsets[::-1]]),
        y=np.concatenate([highest, lowest[::-1]]),
        fill="toself",
        fillcolor=_faint(palette.accent),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
    )
    drawn = lowest if middle is None else middle
    figure.add_scatter(
        x=offsets,
        y=drawn,
        customdata=np.stack([lowest, highest], axis=1),
        mode="lines+markers",
        line={"color": palette.accent, "width": 1.5},
        marker={"color": palette.accent, "size": 4},
        hovertemplate=f"k = %{{x}}<br>{name} %{{y:.4f}}"
        "<br>over all positions %{customdata[0]:.4f} to %{customdata[1]:.4f}<extra></extra>",
    )
    for k in marked:
        figure.add_annotation(
            x=k,
            y=float(drawn[k - first]),
            text=str(k),
            yshift=-11,
            showarrow=False,
            font={"color": palette.wrong},
        )
    figure.add_scatter(
        x=[*marked],
        y=[float(drawn[k - first]) for k in marked],
        mode="markers",
        marker={"color": palette.wrong, "size": 9, "symbol": "circle-open", "line_width": 2},
        hoverinfo="skip",
    )
    lay_out(figure, wide=wide, high=_SIDE, x_title=x_title, y_title=y_title)
    low, high = min(float(lowest.min()), 0.0), float(highest.max()) or 1.0
    pad = 0.08 * (high - low)
    last = first + len(lowest)
    figure.update_xaxes(range=[first - 0.5, last - 0.5], **number_ticks(last))
    draw_level_lines(figure, low - pad, high + pad, palette)
    return figure


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"
