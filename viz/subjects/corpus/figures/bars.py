"""Bars of the distances at which a head reads."""

from collections.abc import Mapping

import plotly.graph_objects as go

from texts import say
from viz.pictures.axes import grid_lines, share_ticks
from viz.pictures.figures import figure
from viz.pictures.theme import LIGHT, Palette

_FARTHEST = 6
"""The number of tokens to each side; the last bar has all that are farther."""


def distance_bars(
    counts: Mapping[int, int],
    *,
    causal: bool = False,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw the share of rows by the distance at which they read, with 0 highlighted.

    The bars at the ends hold all greater distances. Every third bar has its number, because so many
    fit on a phone.
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
        "constraintext": "none",
        "cliponaxis": False,
        "hovertemplate": "%{customdata[0]}: %{customdata[1]}<extra></extra>",
        "customdata": [
            (name, say("number.percent", share=share))
            for name, share in zip(names, shares.values(), strict=True)
        ],
    }
    highest = max(shares.values())
    levels = {**share_ticks(highest), "range": [0, max(highest * 1.15, 0.05)]}
    numbers = {"tickvals": places[::3], "ticktext": names[::3]}
    return figure(
        [bars],
        x={**numbers, "tickangle": 0, "ticklabelstandoff": 5, "fixedrange": True},
        y={**levels, "fixedrange": True, **grid_lines(palette)},
        height=124,
        margin=(58, 12, 18, 32),
        bargap=0.15,
        showlegend=False,
    )


def _bar_text(share: float) -> str:
    """Write a share without its unit, which is on the axis: a bar on a phone is two digits wide."""
    return f"{100 * share:.0f}" if share >= 0.01 else ""


def _signed(number: int) -> str:
    return f"−{-number}" if number < 0 else f"+{number}" if number else "0"
