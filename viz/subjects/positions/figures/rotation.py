"""A shift by k positions drawn: pairs of dimensions in their planes, and the angle at each pos."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, level_lines, number_ticks
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.figures.frame import Values, framed, on_axes, side_by_side, words_at
from viz.subjects.positions.words import labels

_SIDE = 230
_GAP = 78
_WIDE = 420
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
    traces: list[Values] = []
    for column, (pair, places, angle) in enumerate(zip(pairs, points, angles, strict=True)):
        drawn = [_circle(palette), _dots(pair, places, palette)]
        if angle is not None:
            drawn.append(_arc(places[position], angle, palette))
        for at, colour in ((position, palette.accent), (position + shift, palette.wrong)):
            drawn.append({**_hand(pair, at, places[at], colour), "showlegend": column == 0})
        traces += [{**trace, **on_axes(column)} for trace in drawn]
    axes = [_plane(pair, places, palette) for pair, places in zip(pairs, points, strict=True)]
    whole, layout = side_by_side(titles, axes, wide=_SIDE, gap=_GAP, palette=palette)
    layout |= {
        "width": whole + 76,
        "height": _SIDE + 112,
        "margin": {"l": 62, "r": 14, "t": 60, "b": 52, "autoexpand": False},
        "legend": {"orientation": "h", "x": 0, "y": 1 + 28 / _SIDE, "yanchor": "bottom"},
        "dragmode": False,
    }
    return go.Figure(data=traces, layout=layout)


def turn_lines(
    degrees: Sequence[Float[np.ndarray, " position"]],
    *,
    pairs: Sequence[int],
    shift: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """The angle from PE(pos) to PE(pos + k) at each pos: level where the shift is a rotation."""
    traces = [
        _turn_line(angles, pair, shift, dash, palette)
        for angles, pair, dash in zip(degrees, pairs, _DASHES, strict=False)
    ]
    longest = max(len(angles) for angles in degrees)
    everything = np.concatenate([*degrees])
    known = everything[~np.isnan(everything)]
    low, high = (min(known.min(), 0), max(known.max(), 0)) if known.size else (0, 0)
    pad = max(0.1 * (high - low), 5)
    levels = level_lines(float(low - pad), float(high + pad), palette)
    return framed(
        traces,
        size=(_WIDE, _SIDE),
        x=axis(
            say("positions.pos_axis"),
            standoff=10,
            range=[-0.5, longest - 0.5],
            **number_ticks(longest),
        ),
        y=axis(say("positions.turn_axis"), **levels),
        right=64,
        annotations=[
            words_at(int(last), float(angles[last]), labels.pair(pair), xanchor="left", xshift=8)
            for angles, pair in zip(degrees, pairs, strict=True)
            for last in np.flatnonzero(~np.isnan(angles))[-1:]
        ],
    )


def _plane(
    pair: int, places: Float[np.ndarray, "position 2"], palette: Palette
) -> tuple[Values, Values]:
    """Give both axes of a plane equal room."""
    reach = 1.15 * max(1.0, float(np.abs(places).max()))
    both = {
        "range": [-reach, reach],
        "nticks": 5,
        "zeroline": True,
        "zerolinecolor": palette.grid,
    }
    return (
        axis(labels.dimension(2 * pair + 1), standoff=6, **both),
        axis(labels.dimension(2 * pair), standoff=4, **both),
    )


def _circle(palette: Palette) -> Values:
    around = np.linspace(0, 2 * np.pi, 121)
    return {
        "type": "scatter",
        "x": np.cos(around),
        "y": np.sin(around),
        "mode": "lines",
        "line": {"color": palette.line, "width": 1},
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _dots(pair: int, places: Float[np.ndarray, "position 2"], palette: Palette) -> Values:
    return {
        "type": "scatter",
        "x": places[:, 1],
        "y": places[:, 0],
        "customdata": np.arange(len(places)),
        "mode": "markers",
        "marker": {"color": palette.soft, "size": 5},
        "showlegend": False,
        "hovertemplate": labels.pair_hover(pair),
    }


def _arc(start: Float[np.ndarray, "2"], angle: float, palette: Palette) -> Values:
    """Draw the turn anticlockwise from a point's direction, without its whole turns."""
    first = np.arctan2(start[0], start[1])
    along = np.linspace(first, first + angle % (2 * np.pi), 49)
    return {
        "type": "scatter",
        "x": _ARC * np.cos(along),
        "y": _ARC * np.sin(along),
        "mode": "lines",
        "line": {"color": palette.ink, "width": 1.5},
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _hand(pair: int, position: int, place: Float[np.ndarray, "2"], colour: str) -> Values:
    """Point from the middle to where the pair is at a position."""
    y, x = place
    return {
        "type": "scatter",
        "x": [0, x],
        "y": [0, y],
        "mode": "lines+markers",
        "line": {"color": colour, "width": 2.5},
        "marker": {"color": colour, "size": [0, 9]},
        "name": f"PE({position})",
        "hovertemplate": labels.hand_hover(pair, position, float(y), float(x)),
    }


def _turn_line(
    angles: Float[np.ndarray, " position"], pair: int, shift: int, dash: str, palette: Palette
) -> Values:
    return {
        "type": "scatter",
        "x": np.arange(len(angles)),
        "y": angles,
        "mode": "lines+markers" if len(angles) <= _MOST_DOTS else "lines",
        "line": {"color": palette.accent, "width": 1.5, "dash": dash},
        "marker": {"color": palette.accent, "size": 5},
        "name": labels.pair(pair),
        "hovertemplate": labels.turn_hover(pair, shift),
    }
