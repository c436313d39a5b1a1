"""Bars: how far away a head reads, and how a number is spread over sentences."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int

from texts import say
from viz.pictures.axes import share_ticks
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
    figure = go.Figure(
        go.Bar(
            x=places,
            y=[shares[place] for place in places],
            marker={"color": [palette.gold if not place else palette.accent for place in places]},
            text=[_bar_text(shares[place]) for place in places],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
            customdata=[
                (name, say("number.percent", share=share))
                for name, share in zip(names, shares.values(), strict=True)
            ],
        )
    )
    figure.update_xaxes(tickvals=places[::3], ticktext=names[::3], tickangle=0, fixedrange=True)
    highest = max(shares.values())
    figure.update_yaxes(
        **share_ticks(highest),
        range=[0, max(highest * 1.15, 0.05)],
        showgrid=True,
        gridcolor=palette.grid,
        fixedrange=True,
    )
    return _set(figure, height=120, below=28)


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
    figure = go.Figure(
        go.Bar(
            x=((edges[:-1] + edges[1:]) / 2).tolist(),
            y=counts.tolist(),
            width=np.diff(edges).tolist(),
            marker={"color": palette.accent, "line": {"width": 0}},
            hovertemplate="%{x:.3~f}: %{y}<extra></extra>",
        )
    )
    figure.add_vline(x=middle, line={"color": palette.gold, "width": 2})
    figure.update_xaxes(title={"text": title}, fixedrange=True)
    figure.update_yaxes(
        title={"text": sentences_title}, showgrid=True, gridcolor=palette.grid, fixedrange=True
    )
    return _set(figure, height=220)


def _set(figure: go.Figure, *, height: int, below: int = 46) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 58, "r": 12, "t": 18, "b": below},
        bargap=0.15,
        showlegend=False,
        dragmode=False,
    )
    return figure


def _bar_text(share: float) -> str:
    return say("number.percent", share=share) if share >= 0.01 else ""


def _signed(number: int) -> str:
    return f"−{-number}" if number < 0 else f"+{number}" if number else "0"
