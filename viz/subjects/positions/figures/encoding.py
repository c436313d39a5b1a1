"""An encoding drawn: all its numbers, single dimensions as waves, and the length of each wave."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.figures.frame import lay_out, number_ticks, signed_colours

_WIDE, _HIGH = 430, 380
"""Most room of the heat map, in pixels."""
_BESIDE = 350
"""Width of plots that stand beside each other."""
_ROW = (1, 22)
"""Height of one position, at least and at most."""
_GRID_FROM = 6
"""Pixels of a cell from which lines are drawn between cells."""
_STRIP = 54
_MOST_WAVES = 6


def encoding_map(
    values: Float[np.ndarray, "position d_model"],
    *,
    picked: tuple[int, int],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Heat map of an encoding: a row for each position, a column for each dimension."""
    length, d_model = values.shape
    largest = float(np.abs(values).max()) or 1.0
    least, most = _ROW
    row = max(least, min(most, _HIGH // length))
    gap = int(min(row, _WIDE / d_model) >= _GRID_FROM)
    figure = go.Figure(
        go.Heatmap(
            z=values.astype(np.float32),
            coloraxis="coloraxis",
            xgap=gap,
            ygap=gap,
            hovertemplate="position %{y}<br>dimension %{x}<br>PE %{z:.6f}<extra></extra>",
        )
    )
    position, dimension = picked
    for colour, width in ((palette.panel, 6), (palette.accent, 3)):
        figure.add_shape(
            type="rect",
            x0=dimension - 0.5,
            x1=dimension + 0.5,
            y0=position - 0.5,
            y1=position + 0.5,
            line={"color": colour, "width": width},
        )
    high = length * row
    lay_out(
        figure,
        wide=_WIDE,
        high=high,
        x_title="dimension of the model",
        y_title="position in the text",
        top=True,
        below=44,
    )
    figure.update_xaxes(range=[-0.5, d_model - 0.5], **number_ticks(d_model))
    figure.update_yaxes(range=[length - 0.5, -0.5], **number_ticks(length, most=max(2, high // 22)))
    figure.update_layout(
        coloraxis=signed_colours(
            largest,
            palette,
            orientation="h",
            lenmode="pixels",
            len=160,
            x=0,
            xanchor="left",
            xpad=0,
            y=0,
            yanchor="top",
            ypad=12,
        ),
        plot_bgcolor=palette.grid,
    )
    return figure


def wave_strips(
    values: Float[np.ndarray, "position wave"],
    *,
    dimensions: Sequence[int],
    curve: tuple[Float[np.ndarray, " place"], Float[np.ndarray, "place wave"]] | None,
    picked: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Chosen dimensions over the positions, one strip each, at most 6.

    `curve` is the wave between the positions, where a formula gives one: (places, its values).
    """
    if not 1 <= len(dimensions) <= _MOST_WAVES:
        raise ValueError(f"1 to {_MOST_WAVES} dimensions are drawn, got {len(dimensions)}")
    figure = go.Figure()
    largest = float(np.abs(values).max()) or 1.0
    room = 2.4
    middles = [-room * strip for strip in range(len(dimensions))]
    for strip, (middle, dimension) in enumerate(zip(middles, dimensions, strict=True)):
        if curve is not None:
            places, between = curve
            figure.add_scatter(
                x=places,
                y=middle + between[:, strip] / largest,
                mode="lines",
                line={"color": palette.soft, "width": 1},
                hoverinfo="skip",
            )
        figure.add_scatter(
            x=np.arange(len(values)),
            y=middle + values[:, strip] / largest,
            customdata=values[:, strip],
            mode="markers" if curve is not None else "lines+markers",
            marker={"color": palette.accent, "size": 5},
            line={"color": palette.accent, "width": 1},
            name=f"dimension {dimension}",
            hovertemplate=f"position %{{x}}<br>dimension {dimension}"
            "<br>PE %{customdata:.6f}<extra></extra>",
        )
        figure.add_hline(y=middle, line={"color": palette.grid, "width": 1}, layer="below")
    figure.add_vline(x=picked, line={"color": palette.soft, "width": 1, "dash": "dot"})
    lay_out(
        figure,
        wide=_BESIDE,
        high=_STRIP * len(dimensions) + 20,
        x_title="position in the text",
        y_title="dimension: its wave",
    )
    figure.update_xaxes(range=[-0.5, len(values) - 0.5], **number_ticks(len(values)))
    figure.update_yaxes(
        tickvals=middles,
        ticktext=[str(dimension) for dimension in dimensions],
        range=[middles[-1] - room / 2, room / 2],
    )
    return figure


def wavelength_dots(
    wavelengths: Float[np.ndarray, " d_model"],
    *,
    length: int,
    picked: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Wavelength of each dimension on a logarithmic axis, with the length of the text across."""
    dimensions = np.arange(len(wavelengths))
    figure = go.Figure(
        go.Scatter(
            x=dimensions,
            y=wavelengths,
            mode="markers",
            marker={"color": palette.accent, "size": 5},
            hovertemplate="dimension %{x}<br>wavelength %{y:,.2f} positions<extra></extra>",
        )
    )
    figure.add_scatter(
        x=[picked],
        y=[wavelengths[picked]],
        mode="markers",
        marker={"color": palette.accent, "size": 13, "symbol": "circle-open", "line_width": 2},
        hoverinfo="skip",
    )
    figure.add_hline(y=length, line={"color": palette.wrong, "width": 1.5, "dash": "dash"})
    figure.add_annotation(
        x=len(wavelengths) - 1,
        y=np.log10(length),
        text=f"the text: {length} positions",
        font={"color": palette.wrong},
        xanchor="right",
        yanchor="top",
        showarrow=False,
    )
    lowest = min(float(wavelengths.min()), length)
    highest = max(float(wavelengths.max()), length)
    for place, words, anchor in _extremes(wavelengths):
        figure.add_annotation(
            x=place,
            y=np.log10(wavelengths[place]),
            text=f"{words} {_positions(float(wavelengths[place]))}",
            xanchor="right" if place > len(wavelengths) / 2 else "left",
            yanchor=anchor,
            yshift=8 if anchor == "bottom" else -8,
            showarrow=False,
        )
    lay_out(
        figure,
        wide=_BESIDE,
        high=_STRIP * _MOST_WAVES + 20,
        x_title="dimension of the model",
        y_title="wavelength in positions, logarithmic",
        left=84,
    )
    figure.update_xaxes(
        range=[-0.02 * len(wavelengths) - 0.5, len(wavelengths) * 1.02],
        **number_ticks(len(wavelengths)),
    )
    span = np.log10(highest) - np.log10(lowest)
    pad = max(0.15 * span, 0.3)
    figure.update_yaxes(
        type="log",
        range=[np.log10(lowest) - pad, np.log10(highest) + pad],
        tickformat=",",
        dtick=1,
        showgrid=True,
        gridcolor=palette.grid,
    )
    return figure


def _positions(wavelength: float) -> str:
    return f"{wavelength:,.0f}" if wavelength >= 100 else f"{wavelength:.2f}"


def _extremes(wavelengths: Float[np.ndarray, " d_model"]) -> list[tuple[int, str, str]]:
    """Say where to name the shortest and the longest; one name where all are equal."""
    if np.ptp(wavelengths) < 1e-9:
        return [(0, "all", "bottom")]
    longest = int(wavelengths.argmax())
    return [(int(wavelengths.argmin()), "shortest", "top"), (longest, "longest", "bottom")]
