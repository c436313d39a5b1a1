"""The plane or the space that points stand in: traces, axes and the room around them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.pictures.axes import literal
from viz.pictures.figures import LEGEND
from viz.pictures.theme import CHARACTER_WIDTH, MONO, Palette

Scatter = go.Scatter | go.Scatter3d

HEIGHT = 500
_ROOM = 0.06
"""Around the points, in parts of how far they spread."""
_ROOM_FOR_POINTS = 380
"""Side of the plane in pixels, about."""
_LINE = 15
_TINY = 1e-12
_EYE = 1.45
"""Where one looks from: far enough for the titles of the axes."""


def scatter(points: Float[np.ndarray, "point dimension"], **options: Any) -> Scatter:  # noqa: ANN401 - plotly's own
    """Make a trace of points in the plane or in space, as many dimensions as they have."""
    if points.shape[1] == 3:
        x, y, z = points.T
        return go.Scatter3d(x=x, y=y, z=z, **options)
    x, y = points.T
    return go.Scatter(x=x, y=y, cliponaxis=False, **options)


def paths(
    points: Float[np.ndarray, "step token dimension"],
) -> Float[np.ndarray, "point dimension"]:
    """Write each token's points one after the other, with a gap between two tokens."""
    steps, tokens, dimensions = points.shape
    gaps = np.full((1, tokens, dimensions), np.nan)
    whole = np.concatenate([points, gaps])
    return whole.transpose(1, 0, 2).reshape((steps + 1) * tokens, dimensions)


def readable_labels(
    points: Float[np.ndarray, "point dimension"],
    labels: Sequence[str],
    first: Sequence[int],
    among: Float[np.ndarray, "shown dimension"],
) -> list[str]:
    """Empty those labels that would run into others, which go before; `first` go before all.

    `among` are all points of the picture. In space all are kept: it can be turned.
    """
    if points.shape[1] == 3:
        return list(labels)
    width, height = np.ptp(among, axis=0) * (1 + 2 * _ROOM)
    pixels = min(_ROOM_FOR_POINTS / max(width, _TINY), _ROOM_FOR_POINTS / max(height, _TINY))
    placed: list[tuple[float, float, float]] = []
    kept = [""] * len(labels)
    for i in dict.fromkeys((*first, *range(len(labels)))):
        x, y = points[i] * pixels
        half = len(labels[i]) * CHARACTER_WIDTH / 2
        if labels[i] and all(abs(x - a) > half + b or abs(y - c) > _LINE for a, b, c in placed):
            placed.append((x, half, y))
            kept[i] = labels[i]
    return kept


def shown_text(text: str, dimensions: int) -> str:
    """Write a token so that it is seen as it is: what WebGL draws has no entities."""
    return text if dimensions == 3 else literal(text)


def label_font(dimensions: int, palette: Palette) -> dict[str, Any]:
    """Choose the font of labels among points; in the plane, where it can be drawn, with a halo."""
    font = {"family": MONO, "size": 12, "color": palette.ink}
    if dimensions == 3:
        return font
    return {**font, "shadow": ", ".join([f"0 0 3px {palette.panel}"] * 4)}


def lay_out_space(
    figure: go.Figure,
    points: Float[np.ndarray, "point dimension"],
    titles: tuple[str, ...],
    palette: Palette,
    *,
    below: int = 40,
) -> None:
    """Set the titles of the axes and one scale, so that distances are seen as they are."""
    axis = {"showticklabels": False, "zeroline": False}
    if points.shape[1] == 3:
        in_space = {
            **axis,
            "backgroundcolor": "rgba(0,0,0,0)",
            "gridcolor": palette.line,
            "linecolor": palette.line,
            "color": palette.soft,
            "showspikes": False,
        }
        named = zip(("xaxis", "yaxis", "zaxis"), titles, strict=True)
        axes = {name: {**in_space, "title": {"text": literal(title)}} for name, title in named}
        camera = {"eye": dict.fromkeys("xyz", _EYE)}
        figure.update_layout(scene={**axes, "aspectmode": "cube", "camera": camera})
    else:
        (left, right), (low, high) = (_padded(points[:, i]) for i in range(2))
        figure.update_xaxes(**axis, title={"text": literal(titles[0])}, range=[left, right])
        figure.update_yaxes(
            **axis, title={"text": literal(titles[1])}, range=[low, high], scaleanchor="x"
        )
    figure.update_layout(
        height=HEIGHT + below - 40,
        margin={"l": 36, "r": 36, "t": 8, "b": below},
        hovermode="closest",
        legend={**LEGEND, "itemsizing": "constant", "font": {"size": 12}},
    )


def _padded(values: Float[np.ndarray, " point"]) -> tuple[float, float]:
    """Leave room around the points for their labels."""
    low, high = float(values.min()), float(values.max())
    room = _ROOM * (high - low) or 1.0
    return low - room, high + room
