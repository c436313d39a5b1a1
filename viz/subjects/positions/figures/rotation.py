"""A shift by k positions drawn: pairs of dimensions in their planes, and the angle at each pos."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float
from plotly.subplots import make_subplots

from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.figures.frame import (
    draw_level_lines,
    lay_out,
    number_ticks,
    stand_side_by_side,
)

_SIDE = 230
_GAP = 78
_ARC = 0.35
"""Radius of the arc that shows a turn."""
_MOST_DOTS = 40
"""Positions up to which each has a dot on its line: more would hide how the line is dashed."""
_DASHES = ("solid", "dash", "dot")


def circles(
    points: Sequence[Float[np.ndarray, "position 2"]],
    *,
    pairs: Sequence[int],
    position: int,
    shift: int,
    titles: Sequence[str],
    angles: Sequence[float | None],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Pairs of dimensions (2i, 2i + 1) as points of a plane, with PE(pos) and PE(pos + k).

    The cosine is drawn to the right and the sine upwards, so that a shift turns anticlockwise: by
    the angle, in radians, of the arc; None where the shift is no rotation.
    """
    figure = make_subplots(rows=1, cols=len(pairs), subplot_titles=titles)
    for column, (pair, places, angle) in enumerate(zip(pairs, points, angles, strict=True), 1):
        _draw_plane(figure, column, pair, places, palette)
        if angle is not None:
            _draw_arc(figure, column, places[position], angle, palette)
        for at, colour in ((position, palette.accent), (position + shift, palette.wrong)):
            y, x = places[at]
            figure.add_scatter(
                x=[0, x],
                y=[0, y],
                mode="lines+markers",
                line={"color": colour, "width": 2.5},
                marker={"color": colour, "size": [0, 9]},
                name=f"PE({at})",
                showlegend=column == 1,
                hovertemplate=f"PE({at})<br>dimension {2 * pair} {y:.6f}"
                f"<br>dimension {2 * pair + 1} {x:.6f}<extra></extra>",
                row=1,
                col=column,
            )
    figure.update_xaxes(fixedrange=True, nticks=5, zeroline=True, zerolinecolor=palette.grid)
    figure.update_yaxes(fixedrange=True, nticks=5, zeroline=True, zerolinecolor=palette.grid)
    whole = stand_side_by_side(figure, len(pairs), wide=_SIDE, gap=_GAP, palette=palette)
    figure.update_layout(
        width=whole + 76,
        height=_SIDE + 112,
        margin={"l": 62, "r": 14, "t": 60, "b": 52, "autoexpand": False},
        legend={"orientation": "h", "x": 0, "y": 1 + 28 / _SIDE, "yanchor": "bottom"},
        dragmode=False,
    )
    return figure


def turn_lines(
    degrees: Sequence[Float[np.ndarray, " position"]],
    *,
    pairs: Sequence[int],
    shift: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """The angle from PE(pos) to PE(pos + k) at each pos: level where the shift is a rotation."""
    figure = go.Figure()
    for angles, pair, dash in zip(degrees, pairs, _DASHES, strict=False):
        figure.add_scatter(
            x=np.arange(len(angles)),
            y=angles,
            mode="lines+markers" if len(angles) <= _MOST_DOTS else "lines",
            line={"color": palette.accent, "width": 1.5, "dash": dash},
            marker={"color": palette.accent, "size": 5},
            name=f"pair {pair}",
            hovertemplate=f"pair {pair}: dimensions {2 * pair} and {2 * pair + 1}<br>"
            f"from position %{{x}}, {shift} further: %{{y:.3f}}°<extra></extra>",
        )
        known = np.flatnonzero(~np.isnan(angles))
        if known.size:
            figure.add_annotation(
                x=int(known[-1]),
                y=float(angles[known[-1]]),
                text=f"pair {pair}",
                xanchor="left",
                xshift=8,
                showarrow=False,
            )
    lay_out(
        figure, wide=420, high=_SIDE, x_title="position pos", y_title="turn to pos + k, degrees"
    )
    figure.update_layout(margin_r=64, width=420 + 68 + 64)
    longest = max(len(angles) for angles in degrees)
    figure.update_xaxes(range=[-0.5, longest - 0.5], **number_ticks(longest))
    everything = np.concatenate([*degrees])
    known = everything[~np.isnan(everything)]
    low, high = (min(known.min(), 0), max(known.max(), 0)) if known.size else (0, 0)
    pad = max(0.1 * (high - low), 5)
    draw_level_lines(figure, float(low - pad), float(high + pad), palette)
    return figure


def _draw_plane(
    figure: go.Figure,
    column: int,
    pair: int,
    places: Float[np.ndarray, "position 2"],
    palette: Palette,
) -> None:
    """Draw the unit circle and the pair at every position, with equal room on both axes."""
    around = np.linspace(0, 2 * np.pi, 121)
    figure.add_scatter(
        x=np.cos(around),
        y=np.sin(around),
        mode="lines",
        line={"color": palette.line, "width": 1},
        showlegend=False,
        hoverinfo="skip",
        row=1,
        col=column,
    )
    figure.add_scatter(
        x=places[:, 1],
        y=places[:, 0],
        customdata=np.arange(len(places)),
        mode="markers",
        marker={"color": palette.soft, "size": 5},
        showlegend=False,
        hovertemplate="position %{customdata}<br>"
        f"dimension {2 * pair} %{{y:.6f}}<br>dimension {2 * pair + 1} %{{x:.6f}}<extra></extra>",
        row=1,
        col=column,
    )
    reach = 1.15 * max(1.0, float(np.abs(places).max()))
    place = {"range": [-reach, reach], "row": 1, "col": column}
    figure.update_xaxes(title={"text": f"dimension {2 * pair + 1}", "standoff": 6}, **place)
    figure.update_yaxes(title={"text": f"dimension {2 * pair}", "standoff": 4}, **place)


def _draw_arc(
    figure: go.Figure,
    column: int,
    start: Float[np.ndarray, "2"],
    angle: float,
    palette: Palette,
) -> None:
    """Draw the turn anticlockwise from a point's direction, without its whole turns."""
    first = np.arctan2(start[0], start[1])
    along = np.linspace(first, first + angle % (2 * np.pi), 49)
    figure.add_scatter(
        x=_ARC * np.cos(along),
        y=_ARC * np.sin(along),
        mode="lines",
        line={"color": palette.ink, "width": 1.5},
        showlegend=False,
        hoverinfo="skip",
        row=1,
        col=column,
    )
