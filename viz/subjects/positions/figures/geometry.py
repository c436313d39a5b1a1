"""How encoded positions lie to each other: products, and numbers by how far apart they are."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, columns, level_lines, number_ticks, rows
from viz.pictures.figures import ABOVE, box, curve, framed, rings, signed_map, words_at
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.words import labels

_SIDE = 320
_BESIDE = 390


def product_map(
    products: Float[np.ndarray, "row column"], *, picked: int, palette: Palette = LIGHT
) -> go.Figure:
    """Heat map of the Gram matrix: the dot product of every two encodings."""
    length = len(products)
    largest = float(np.abs(products).max()) or 1.0
    return framed(
        [signed_map(products, largest, palette, hovertemplate=labels.product_hover())],
        size=(_SIDE, _SIDE),
        x=axis(say("positions.position_j"), standoff=10, side="top", **columns(length)),
        y=axis(say("positions.position_i"), **rows(length)),
        margin=ABOVE,
        shapes=[box((0, length - 1), (picked, picked), palette.accent)],
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
    offsets = np.arange(first, first + len(lowest))
    heights = [float(drawn[k - first]) for k in marked]
    area = {"line": {"width": 0}, "fill": "toself", "fillcolor": _faint(palette.accent)}
    there_and_back = np.concatenate([offsets, offsets[::-1]])
    around = np.concatenate([highest, lowest[::-1]])
    ends = np.stack([lowest, highest], axis=1)
    told = {"customdata": ends, "hovertemplate": labels.band_hover(name)}
    last = first + len(lowest)
    numbers = number_ticks(last)
    levels = level_lines(around, palette, 0.08)
    return framed(
        [
            curve(there_and_back, around, palette.accent, 0, **area, hoverinfo="skip"),
            curve(offsets, drawn, palette.accent, 1.5, size=4, **told),
            rings(marked, heights, palette.wrong, 9),
        ],
        size=(wide, _SIDE),
        x=axis(
            say("positions.offset_axis"), standoff=10, range=[first - 0.5, last - 0.5], **numbers
        ),
        y=axis(y_title, **levels),
        annotations=[
            words_at(k, y, str(k), yshift=-11, font={"color": palette.wrong})
            for k, y in zip(marked, heights, strict=True)
        ],
    )


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"
