"""Bars: how far away a head reads, and how a number is spread over sentences."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int

from texts import say
from viz.pictures.axes import axis, grid_lines, share_ticks
from viz.pictures.figures import Values, figure, line_upwards
from viz.pictures.theme import LIGHT, Palette

_FARTHEST = 6
"""Tokens to each side; what is farther is in the last bar."""


def distance_bars(
    counts: Mapping[int, int],
    *,
    causal: bool = False,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Shares of rows by how far on they read, 0 standing out; the ends hold all beyond them.

    Every third place has its number: so many have room on a phone.
    """
    places = list(range(-_FARTHEST, 1 if causal else _FARTHEST + 1))
    total = max(sum(counts.values()), 1)
    shares = dict.fromkeys(places, 0.0)
    for distance, count in counts.items():
        shares[max(places[0], min(places[-1], distance))] += count / total
    names = [_signed(place) for place in places]
    names[0] = f"≤ {names[0]}"
    if not causal:
        names[-1] = f"≥ {names[-1]}"
    bars = {
        "type": "bar",
        "x": places,
        "y": [shares[place] for place in places],
        "marker": {"color": [palette.accent if place else palette.gold for place in places]},
        "text": [_bar_text(shares[place]) for place in places],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{customdata[0]}: %{customdata[1]}<extra></extra>",
        "customdata": [
            (name, say("number.percent", share=share))
            for name, share in zip(names, shares.values(), strict=True)
        ],
    }
    highest = max(shares.values())
    levels = {**share_ticks(highest), "range": [0, max(highest * 1.15, 0.05)]}
    return _figure(
        bars,
        {"tickvals": places[::3], "ticktext": names[::3], "tickangle": 0, "fixedrange": True},
        {**levels, "fixedrange": True, **grid_lines(palette)},
        height=120,
        below=28,
    )


def spread_bars(
    edges: Float[np.ndarray, " edge"],
    counts: Int[np.ndarray, " bin"],
    *,
    middle: float,
    title: str,
    sentences_title: str,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Sentences by a number of a head, with a line at the median."""
    bars = {
        "type": "bar",
        "x": ((edges[:-1] + edges[1:]) / 2).tolist(),
        "y": counts.tolist(),
        "width": np.diff(edges).tolist(),
        "marker": {"color": palette.accent, "line": {"width": 0}},
        "hovertemplate": "%{x:.3~f}: %{y}<extra></extra>",
    }
    return _figure(
        bars,
        axis(title, standoff=None),
        axis(sentences_title, standoff=None, **grid_lines(palette)),
        height=220,
        shapes=[line_upwards(middle, {"color": palette.gold, "width": 2})],
    )


def _figure(
    bars: Values,
    x: Values,
    y: Values,
    *,
    height: int,
    below: int = 46,
    **layout: Any,  # noqa: ANN401
) -> go.Figure:
    own = {"bargap": 0.15, "showlegend": False, **layout}
    return figure([bars], x=x, y=y, height=height, margin=(58, 12, 18, below), **own)


def _bar_text(share: float) -> str:
    return say("number.percent", share=share) if share >= 0.01 else ""


def _signed(number: int) -> str:
    return f"−{-number}" if number < 0 else f"+{number}" if number else "0"
