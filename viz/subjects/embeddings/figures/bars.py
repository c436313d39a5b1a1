"""The cosines of the nearest tokens, as bars."""

from collections.abc import Sequence

import plotly.graph_objects as go

from texts import say
from viz.pictures.axes import axis, grid_lines, token_rows
from viz.pictures.figures import figure
from viz.pictures.numbers import fixed
from viz.pictures.theme import LIGHT, MONO, Palette

_BAR = 26
"""Height of a row in pixels."""
_GAP = 0.006
"""Between the end of a bar and its number."""


def neighbour_bars(
    tokens: Sequence[str],
    cosines: Sequence[float],
    *,
    colours: Sequence[str],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw the nearest tokens from the top, a bar as long as the cosine, in the group's colour."""
    rows = [*range(len(tokens))]
    bars = {
        "type": "bar",
        "x": [*cosines],
        "y": rows,
        "orientation": "h",
        "marker": {"color": [*colours]},
        "hoverinfo": "skip",
    }
    numbers = {  # right of its bar, also where that goes left, towards the token's name
        "type": "scatter",
        "x": [max(cosine, 0.0) + _GAP for cosine in cosines],
        "y": rows,
        "mode": "text",
        "text": [fixed(cosine, 2) for cosine in cosines],
        "textposition": "middle right",
        "textfont": {"family": MONO, "color": palette.ink},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    reach = [1.15 * min(0.0, *cosines), 1.0]
    ticks = {"tickvals": [0, 1], "ticktext": [say("embeddings.as_any_two"), say("embeddings.same")]}
    return figure(
        [bars, numbers],
        x=axis("", standoff=None, range=reach, **ticks, **grid_lines(palette)),
        y={**token_rows(tokens), "automargin": True},
        height=_BAR * len(tokens) + 42,
        margin=(10, 44, 8, 32),
        bargap=0.35,
        showlegend=False,
    )
