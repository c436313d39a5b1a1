"""Figures of a shift by k positions: pairs of dimensions in their planes."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.pictures.axes import axis
from viz.pictures.figures import LEGEND, SKIPPED, Values, curve, dots, side_by_side
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.words import labels

_SIDE = 230
_GAP = 78
_ARC = 0.35
"""The radius of the arc that shows a rotation."""


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
    """Draw pairs of dimensions (2i, 2i + 1) as points in a plane, with PE(pos) and PE(pos + k).

    The cosine is drawn to the right and the sine upwards, so that a shift turns anticlockwise, by
    the angle of the arc in radians; None if the shift is not a rotation.
    """
    plots = {}
    for title, pair, places, angle in zip(titles, pairs, points, angles, strict=True):
        drawn = [_circle(palette), _dots(pair, places, palette)]
        if angle is not None:
            drawn.append(_arc(places[position], angle, palette))
        for at, colour in ((position, palette.accent), (position + shift, palette.wrong)):
            drawn.append({**_hand(pair, at, places[at], colour), "showlegend": not plots})
        plots[title] = (drawn, *_plane(pair, places, palette))
    return side_by_side(
        plots,
        wide=_SIDE,
        high=_SIDE,
        gap=_GAP,
        margin=(62, 14, 60, 52),
        palette=palette,
        legend={**LEGEND, "y": 1 + 28 / _SIDE},
    )


def _plane(
    pair: int, places: Float[np.ndarray, "position 2"], palette: Palette
) -> tuple[Values, Values]:
    """Give both axes of a plane the same scale."""
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
    return curve(np.cos(around), np.sin(around), palette.line, 1, **SKIPPED)


def _dots(pair: int, places: Float[np.ndarray, "position 2"], palette: Palette) -> Values:
    told = {"customdata": np.arange(len(places)), "hovertemplate": labels.pair_hover(pair)}
    marker = {"color": palette.soft, "size": 5}
    return dots(places[:, 1], places[:, 0], marker, showlegend=False, **told)


def _arc(start: Float[np.ndarray, "2"], angle: float, palette: Palette) -> Values:
    """Draw the rotation anticlockwise from a point's direction, without whole turns."""
    first = np.arctan2(start[0], start[1])
    along = np.linspace(first, first + angle % (2 * np.pi), 49)
    return curve(_ARC * np.cos(along), _ARC * np.sin(along), palette.ink, 1.5, **SKIPPED)


def _hand(pair: int, position: int, place: Float[np.ndarray, "2"], colour: str) -> Values:
    """Point from the centre to the pair at a position."""
    y, x = (float(number) for number in place)
    told = labels.hand_hover(pair, position, y, x)
    name = f"PE({position})"
    return curve([0, x], [0, y], colour, 2.5, size=[0, 9], name=name, hovertemplate=told)
