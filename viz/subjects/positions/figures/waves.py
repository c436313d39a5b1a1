"""Single dimensions drawn as waves over the positions, and the length of each wave."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say, say_of
from viz.pictures.axes import axis, columns, grid_lines, number_ticks
from viz.pictures.figures import (
    BELOW,
    Values,
    curve,
    dots,
    framed,
    line_across,
    line_upwards,
    rings,
    words_at,
)
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.words import labels

Curve = tuple[Float[np.ndarray, " place"], Float[np.ndarray, "place wave"]]
"""Places between the positions too, and the values of each wave there."""

_WIDE = 350
"""Pixels of a plot: two stand beside each other."""
_STRIP = 54
_ROOM = 2.4
"""Height of a strip; its wave takes 2 of it."""
MOST_WAVES = 6


def wave_strips(
    values: Float[np.ndarray, "position wave"],
    *,
    dimensions: Sequence[int],
    wave: Curve | None,
    picked: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Chosen dimensions over the positions, one strip each, at most 6.

    `wave` is what is between the positions, where a formula gives one.
    """
    if not 1 <= len(dimensions) <= MOST_WAVES:
        raise ValueError(f"1 to {MOST_WAVES} dimensions are drawn, got {len(dimensions)}")
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


def wavelength_dots(
    wavelengths: Float[np.ndarray, " d_model"],
    *,
    length: int,
    picked: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Wavelength of each dimension on a logarithmic axis, with the length of the text across."""
    count = len(wavelengths)
    marker = {"color": palette.accent, "size": 5}
    told = {"hovertemplate": labels.wavelength_hover()}
    low = np.log10(min(float(wavelengths.min()), length))
    high = np.log10(max(float(wavelengths.max()), length))
    pad = max(0.15 * (high - low), 0.3)
    places = {"range": [-0.02 * count - 0.5, count * 1.02], **number_ticks(count)}
    levels = {"type": "log", "range": [low - pad, high + pad], "tickformat": ",", "dtick": 1}
    return framed(
        [
            dots(np.arange(count), wavelengths, marker, **told),
            rings([picked], [wavelengths[picked]], palette.accent),
        ],
        size=(_WIDE, _STRIP * MOST_WAVES + 20),
        x=axis(say("positions.dimension_axis"), standoff=10, **places),
        y=axis(say("positions.wavelength_axis"), **levels, **grid_lines(palette)),
        margin=(84, *BELOW[1:]),
        shapes=[line_across(length, {"color": palette.wrong, "width": 1.5, "dash": "dash"})],
        annotations=[_name_text(count, length, palette), *_name_extremes(wavelengths)],
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


def _name_text(count: int, length: int, palette: Palette) -> Values:
    return words_at(
        count - 1,
        np.log10(length),
        say("positions.text_length", count=length),
        font={"color": palette.wrong},
        xanchor="right",
        yanchor="top",
    )


def _name_extremes(wavelengths: Float[np.ndarray, " d_model"]) -> list[Values]:
    """Name the shortest and the longest; one name where all are equal."""
    longest = int(wavelengths.argmax())
    places = [(int(wavelengths.argmin()), "shortest", "top"), (longest, "longest", "bottom")]
    if np.ptp(wavelengths) < 1e-9:
        places = [(0, "all", "bottom")]
    return [
        words_at(
            place,
            np.log10(wavelengths[place]),
            say_of(
                "positions.extreme", which, wavelength=labels.wavelength(float(wavelengths[place]))
            ),
            xanchor="right" if place > len(wavelengths) / 2 else "left",
            yanchor=anchor,
            yshift=8 if anchor == "bottom" else -8,
        )
        for place, which, anchor in places
    ]
