"""How encoded positions lie to each other: products, and numbers by how far apart they are."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, level_lines, number_ticks
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.figures.frame import Values, box, framed, words_at
from viz.subjects.positions.words import labels

_SIDE = 320
_BESIDE = 390


def product_map(
    products: Float[np.ndarray, "row column"], *, picked: int, palette: Palette = LIGHT
) -> go.Figure:
    """Heat map of the Gram matrix: the dot product of every two encodings."""
    length = len(products)
    largest = float(np.abs(products).max()) or 1.0
    cells = {
        "type": "heatmap",
        "z": products.astype(np.float32),
        "zmin": -largest,
        "zmax": largest,
        "colorscale": list(palette.diverging),
        "showscale": False,
        "hovertemplate": labels.product_hover(),
    }
    ticks = number_ticks(length)
    row = box((-0.5, length - 0.5), (picked - 0.5, picked + 0.5), palette.accent, 2)
    return framed(
        [cells],
        size=(_SIDE, _SIDE),
        x=axis(say("positions.position_j"), standoff=10, range=[-0.5, length - 0.5], **ticks),
        y=axis(say("positions.position_i"), range=[length - 0.5, -0.5], **ticks),
        top=True,
        shapes=[row],
    )


def band(
    lowest: Float[np.ndarray, " offset"],
    middle: Float[np.ndarray, " offset"] | None,
    highest: Float[np.ndarray, " offset"],
    *,
    first: int,
    y_title: str,
    name: str,
    wide: int = _BESIDE,
    marked: Sequence[int] = (),
    palette: Palette = LIGHT,
) -> go.Figure:
    """One number for each offset k from `first` on: its range over all positions, and its mean.

    `marked` offsets get a ring and their number on the lowest line.
    """
    drawn = lowest if middle is None else middle
    places = [(k, float(drawn[k - first])) for k in marked]
    low, high = min(float(lowest.min()), 0.0), float(highest.max()) or 1.0
    pad = 0.08 * (high - low)
    last = first + len(lowest)
    return framed(
        [
            _area(lowest, highest, first, palette),
            _line(drawn, lowest, highest, first, name, palette),
            _rings(places, palette),
        ],
        size=(wide, _SIDE),
        x=axis(
            say("positions.offset_axis"),
            standoff=10,
            range=[first - 0.5, last - 0.5],
            **number_ticks(last),
        ),
        y=axis(y_title, **level_lines(low - pad, high + pad, palette)),
        annotations=[
            words_at(k, y, str(k), yshift=-11, font={"color": palette.wrong}) for k, y in places
        ],
    )


def _area(
    lowest: Float[np.ndarray, " offset"],
    highest: Float[np.ndarray, " offset"],
    first: int,
    palette: Palette,
) -> Values:
    offsets = np.arange(first, first + len(lowest))
    return {
        "type": "scatter",
        "x": np.concatenate([offsets, offsets[::-1]]),
        "y": np.concatenate([highest, lowest[::-1]]),
        "fill": "toself",
        "fillcolor": _faint(palette.accent),
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
    }


def _line(
    drawn: Float[np.ndarray, " offset"],
    lowest: Float[np.ndarray, " offset"],
    highest: Float[np.ndarray, " offset"],
    first: int,
    name: str,
    palette: Palette,
) -> Values:
    return {
        "type": "scatter",
        "x": np.arange(first, first + len(drawn)),
        "y": drawn,
        "customdata": np.stack([lowest, highest], axis=1),
        "mode": "lines+markers",
        "line": {"color": palette.accent, "width": 1.5},
        "marker": {"color": palette.accent, "size": 4},
        "hovertemplate": labels.band_hover(name),
    }


def _rings(places: Sequence[tuple[int, float]], palette: Palette) -> Values:
    ring = {"color": palette.wrong, "size": 9, "symbol": "circle-open", "line": {"width": 2}}
    return {
        "type": "scatter",
        "x": [k for k, _ in places],
        "y": [y for _, y in places],
        "mode": "markers",
        "marker": ring,
        "hoverinfo": "skip",
    }


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"
