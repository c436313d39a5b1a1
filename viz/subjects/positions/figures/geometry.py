"""How encoded positions lie to each other: their products, by how far apart they are too."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, columns, level_lines, number_ticks, rows
from viz.pictures.figures import ABOVE, box, curve, framed, signed_map
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
    mean: Float[np.ndarray, " offset"],
    highest: Float[np.ndarray, " offset"],
    *,
    palette: Palette = LIGHT,
) -> go.Figure:
    """The product for each offset k: its range over all positions, and its mean."""
    offsets = np.arange(len(lowest))
    area = {"line": {"width": 0}, "fill": "toself", "fillcolor": _faint(palette.accent)}
    there_and_back = np.concatenate([offsets, offsets[::-1]])
    around = np.concatenate([highest, lowest[::-1]])
    told = {
        "customdata": np.stack([lowest, highest], axis=1),
        "hovertemplate": labels.band_hover(),
    }
    return framed(
        [
            curve(there_and_back, around, palette.accent, 0, **area, hoverinfo="skip"),
            curve(offsets, mean, palette.accent, 1.5, size=4, **told),
        ],
        size=(_BESIDE, _SIDE),
        x=axis(
            say("positions.offset_axis"),
            standoff=10,
            range=[-0.5, len(lowest) - 0.5],
            **number_ticks(len(lowest)),
        ),
        y=axis(say("positions.products_axis"), **level_lines(around, palette, 0.08)),
    )


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"
