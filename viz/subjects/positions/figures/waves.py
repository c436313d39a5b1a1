"""Single dimensions drawn as waves over the positions."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, columns
from viz.pictures.figures import (
    Values,
    curve,
    framed,
    line_across,
    line_upwards,
)
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.words import labels

Curve = tuple[Float[np.ndarray, " place"], Float[np.ndarray, "place wave"]]
"""Places between the positions too, and the values of each wave there."""

_WIDE = 720
"""Pixels of a strip."""
_STRIP = 54
_ROOM = 2.4
"""Height of a strip; its wave takes 2 of it."""


def wave_strips(
    values: Float[np.ndarray, "position wave"],
    *,
    dimensions: Sequence[int],
    wave: Curve | None,
    picked: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Some dimensions over the positions, one strip each.

    `wave` is what is between the positions, where a formula gives one.
    """
    middles = [-_ROOM * strip for strip in range(len(dimensions))]
    strips = {
        "tickvals": middles,
        "ticktext": [str(dimension) for dimension in dimensions],
        "range": [middles[-1] - _ROOM / 2, _ROOM / 2],
    }
    grid = {"color": palette.grid, "width": 1}
    return framed(
        _strips(values, dimensions, middles, wave, palette),
        size=(_WIDE, _STRIP * len(dimensions) + 20),
        x=axis(say("positions.position_axis"), standoff=10, **columns(len(values))),
        y=axis(say("positions.waves_axis"), **strips),
        shapes=[
            *(line_across(middle, grid, layer="below") for middle in middles),
            line_upwards(picked, {"color": palette.soft, "width": 1, "dash": "dot"}),
        ],
    )


def _strips(
    values: Float[np.ndarray, "position wave"],
    dimensions: Sequence[int],
    middles: Sequence[float],
    wave: Curve | None,
    palette: Palette,
) -> list[Values]:
    largest = float(np.abs(values).max()) or 1.0
    traces: list[Values] = []
    for strip, (middle, dimension) in enumerate(zip(middles, dimensions, strict=True)):
        if wave is not None:
            places, between = wave
            heights = middle + between[:, strip] / largest
            traces.append(curve(places, heights, palette.soft, 1, hoverinfo="skip"))
        seen = curve(
            np.arange(len(values)),
            middle + values[:, strip] / largest,
            palette.accent,
            1,
            size=5,
            customdata=values[:, strip],
            name=labels.dimension(dimension),
            hovertemplate=labels.wave_hover(dimension),
        )
        traces.append(seen if wave is None else {**seen, "mode": "markers"})
    return traces
