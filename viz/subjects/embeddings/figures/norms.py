"""How long the vectors of a text are: a row for each step, a column for each token."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import literal, token_rows
from viz.pictures.figures import SKIPPED, Values, framed
from viz.pictures.numbers import fixed
from viz.pictures.theme import CHARACTER_WIDTH, LIGHT, MONO, Palette

_CELL = (46, 30)
"""Width and height in pixels; narrower where there are many tokens."""
_NARROWEST = 12
_WIDEST = 1000
_WRITTEN = 40
"""Cells narrower than this have no numbers in them."""


def norm_map(
    norms: Float[np.ndarray, "step token"],
    *,
    steps: Sequence[str],
    tokens: Sequence[str],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw the norms on a scale from 0 to the largest, and write them where there is room."""
    wide = max(_NARROWEST, min(_CELL[0], _WIDEST // len(tokens)))
    largest = float(norms.max())
    hover = [
        [
            f"<b>{literal(t)}</b><br>{literal(s)}<br>{say('embeddings.norm_cell', norm=v)}"
            for t, v in zip(tokens, row.tolist(), strict=True)
        ]
        for s, row in zip(steps, norms, strict=True)
    ]
    cells = {
        "type": "heatmap",
        "z": norms,
        "coloraxis": "coloraxis",
        "xgap": 1,
        "ygap": 1,
        "text": hover,
        "hovertemplate": "%{text}<extra></extra>",
    }
    longest = max(min(len(token), 16) for token in tokens)
    beside = max(108, round(max(map(len, steps)) * CHARACTER_WIDTH) + 14)
    across = [-0.5, len(tokens) - 0.5]
    return framed(
        [cells, _numbers(norms, palette)] if wide >= _WRITTEN else [cells],
        size=(wide * len(tokens), _CELL[1] * len(steps)),
        x={**token_rows(tokens), "range": across, "side": "top", "tickangle": -45},
        y={**token_rows(steps), "ticktext": [literal(step) for step in steps]},
        margin=(beside, 60, 24 + round(longest * 5.4), 10),
        showlegend=None,
        coloraxis={"cmin": 0, "cmax": largest or 1.0, "showscale": False},
        plot_bgcolor=palette.grid,
    )


def _numbers(norms: Float[np.ndarray, "step token"], palette: Palette) -> Values:
    """Write each norm in its cell: in the ground's colour where the cell is dark."""
    rows, columns = np.indices(norms.shape)
    strong = norms > 0.55 * norms.max()
    colours = [palette.panel if s else palette.ink for s in strong.ravel()]
    return {
        "type": "scatter",
        "x": columns.ravel(),
        "y": rows.ravel(),
        "mode": "text",
        "text": [fixed(value, 1) for value in norms.ravel().tolist()],
        "textfont": {"family": MONO, "size": 11, "color": colours},
        **SKIPPED,
    }
