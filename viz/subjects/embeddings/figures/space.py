"""The plane of a picture of points: labels, axes and margins."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.pictures.axes import literal
from viz.pictures.figures import LEGEND, TOLD
from viz.pictures.theme import CHARACTER_WIDTH, MONO, Palette

HEIGHT = 400
_ROOM = 0.06
"""The margin around the points, as a share of their spread."""
_PIXELS = np.array([520.0, 300.0])
"""The approximate width and height of the plane in pixels."""
NARROW = np.array([250.0, 225.0])
"""The width on a phone and the height in presenter mode, for type of the usual size. Labels that
fit there fit everywhere."""
MOST_LABELS = 30
"""The largest number of labels in a picture of many points."""
_LINE = 15
_TINY = 1e-12


def scatter(points: Float[np.ndarray, "point 2"], **options: Any) -> go.Scatter:  # noqa: ANN401 - plotly's own
    """Make a trace of points."""
    x, y = points.T
    return go.Scatter(x=x, y=y, cliponaxis=False, **options)


def word_dots(
    points: Float[np.ndarray, "point 2"],
    places: Sequence[int],
    words: Sequence[str],
    marker: Mapping[str, Any],
    *,
    name: str,
    told: Sequence[str],
) -> go.Scatter:
    """Draw words as points that a click does not change, since the page marks the word itself.

    Args:
        points: The place of each word.
        places: The index of each word, which a click returns.
        words: The words, for the saved table.
        marker: The look of the points.
        name: The name in the legend.
        told: The text of each word under a pointer.
    """
    unchanged = {"marker": {"opacity": marker["opacity"]}}
    return scatter(
        points,
        name=name,
        mode="markers",
        marker=dict(marker),
        text=words,
        customdata=places,
        hovertext=told,
        hovertemplate=TOLD,
        selected=unchanged,
        unselected=unchanged,
    )


def readable_labels(
    points: Float[np.ndarray, "point 2"],
    labels: Sequence[str],
    first: Sequence[int],
    among: Float[np.ndarray, "shown 2"],
    *,
    most: int | None = None,
    room: Float[np.ndarray, "2"] = _PIXELS,
) -> list[str]:
    """Empty the labels that would overlap earlier ones; `first` come before all others.

    Args:
        points: The place of each label.
        labels: The labels, in the order in which they get a place.
        first: The indices of labels that get a place before all others.
        among: All points of the picture.
        most: The largest number of labels to keep.
        room: The size of the plane in pixels.
    """
    pixels = room / np.maximum(np.ptp(among, axis=0) * (1 + 2 * _ROOM), _TINY)
    placed: list[tuple[float, float, float]] = []
    kept = [""] * len(labels)
    for i in dict.fromkeys((*first, *range(len(labels)))):
        x, y = points[i] * pixels
        half = len(labels[i]) * CHARACTER_WIDTH / 2
        if labels[i] and all(abs(x - a) > half + b or abs(y - c) > _LINE for a, b, c in placed):
            placed.append((x, half, y))
            kept[i] = labels[i]
        if most is not None and len(placed) >= max(most, len(first)):
            break
    return kept


def label_font(palette: Palette) -> dict[str, Any]:
    """Choose the font of labels among points, with a halo."""
    halo = ", ".join([f"0 0 3px {palette.panel}"] * 4)
    return {"family": MONO, "size": 12, "color": palette.ink, "shadow": halo}


def lay_out_space(
    figure: go.Figure,
    points: Float[np.ndarray, "point 2"],
    titles: tuple[str, ...],
    *,
    below: int = 8,
    **legend: Any,  # noqa: ANN401 - plotly's own
) -> None:
    """Set the titles of the axes, and put the legend of colours below."""
    axis = {"showticklabels": False, "zeroline": False}
    (left, right), (low, high) = (_padded(points[:, i]) for i in range(2))
    x, y = (literal(title) for title in titles or ("", ""))
    figure.update_xaxes(**axis, title={"text": x, "standoff": 4}, range=[left, right])
    figure.update_yaxes(**axis, title={"text": y}, range=[low, high])
    figure.update_layout(
        height=HEIGHT + below,
        margin={"l": 36, "r": 36, "t": 8, "b": below},
        hovermode="closest",
        dragmode=False,
        legend={**LEGEND, "itemsizing": "constant", "font": {"size": 12}, **legend},
    )


def _padded(values: Float[np.ndarray, " point"]) -> tuple[float, float]:
    """Leave room around the points for their labels."""
    low, high = float(values.min()), float(values.max())
    room = _ROOM * (high - low) or 1.0
    return low - room, high + room
