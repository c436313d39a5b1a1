"""Bars: the cosines of the nearest tokens, and the variance that each component explains."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import label, literal
from viz.pictures.numbers import fixed, percent_text
from viz.pictures.theme import LIGHT, MONO, Palette

_BAR = 26
"""Height of a row in pixels."""
_GAP = 0.006
"""Between the end of a bar and its number."""
_MOST_COMPONENTS = 12
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
"""Shares of the variance between two ticks."""


def neighbour_bars(
    tokens: Sequence[str],
    cosines: Sequence[float],
    *,
    colours: Sequence[str],
    groups: Sequence[str],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw the nearest tokens from the top, a bar as long as the cosine, in the group's colour."""
    figure = go.Figure(
        go.Bar(
            x=list(cosines),
            y=list(range(len(tokens))),
            orientation="h",
            marker={"color": list(colours)},
            hovertext=[
                f"<b>{literal(t)}</b><br>{literal(g)}<br>{say('embeddings.cosine_of', cosine=c)}"
                for t, g, c in zip(tokens, groups, cosines, strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    figure.add_scatter(  # right of its bar, also where that goes left, towards the token's name
        x=[max(cosine, 0.0) + _GAP for cosine in cosines],
        y=list(range(len(tokens))),
        mode="text",
        text=[fixed(cosine, 3) for cosine in cosines],
        textposition="middle right",
        textfont={"family": MONO, "color": palette.ink},
        cliponaxis=False,
        hoverinfo="skip",
    )
    lowest = min(0.0, *cosines)
    figure.update_xaxes(
        range=[1.15 * lowest, 1.0],
        tickvals=[0, 0.5, 1],
        ticktext=["0", fixed(0.5, 1), "1"],
        title={"text": say("embeddings.cosine")},
        showgrid=True,
        gridcolor=palette.grid,
        fixedrange=True,
    )
    figure.update_yaxes(
        tickvals=list(range(len(tokens))),
        ticktext=[label(token) for token in tokens],
        range=[len(tokens) - 0.5, -0.5],
        fixedrange=True,
    )
    figure.update_layout(
        height=_BAR * len(tokens) + 58,
        margin={"l": 10, "r": 44, "t": 8, "b": 48},
        bargap=0.35,
        dragmode=False,
        showlegend=False,
    )
    figure.update_yaxes(automargin=True)
    return figure


def variance_bars(
    explained: Float[np.ndarray, " component"], *, shown: int, palette: Palette = LIGHT
) -> go.Figure:
    """Draw the share of the variance along the first components; those shown in the accent."""
    shares = explained[:_MOST_COMPONENTS]
    sums = np.cumsum(shares)
    step = next((s for s in _TICKS if shares.max() <= 3 * s), _TICKS[-1])
    ticks = [step * i for i in range(4)]
    figure = go.Figure(
        go.Bar(
            x=list(range(1, len(shares) + 1)),
            y=shares,
            marker={
                "color": [
                    palette.accent if i < shown else palette.hatch for i in range(len(shares))
                ]
            },
            hovertext=[
                say(
                    "embeddings.component_share",
                    number=i,
                    share=float(share),
                    sum=float(all_so_far),
                )
                for i, (share, all_so_far) in enumerate(zip(shares, sums, strict=True), 1)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    figure.update_xaxes(
        tickvals=list(range(1, len(shares) + 1)),
        title={"text": say("embeddings.component")},
        fixedrange=True,
    )
    figure.update_yaxes(
        tickvals=ticks,
        ticktext=[percent_text(tick) for tick in ticks],
        title={"text": say("embeddings.variance_axis")},
        fixedrange=True,
        rangemode="tozero",
    )
    figure.update_layout(
        height=170, margin={"l": 62, "r": 10, "t": 8, "b": 48}, bargap=0.3, dragmode=False
    )
    return figure
