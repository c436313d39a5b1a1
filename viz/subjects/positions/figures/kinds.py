"""Figures of positions that are not vectors: scores and added numbers by distance."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, level_lines
from viz.pictures.figures import (
    DASHES,
    Values,
    curve,
    framed,
    line_upwards,
    rings,
    words_at,
)
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.words import labels

_WIDE, _HIGH = 360, 320


def distance_line(
    distances: np.ndarray,
    values: Float[np.ndarray, " distance"],
    *,
    here: tuple[int, float],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw a score by the distance, with a ring at the distance and the score of the run."""
    x, y = here
    told = {"hovertemplate": labels.distance_hover()}
    return framed(
        [
            curve(distances, values, palette.accent, 1.5, size=4, **told),
            rings([x], [y], palette.accent),
        ],
        size=(_WIDE, _HIGH),
        x=axis(say("positions.distance_axis"), standoff=10),
        y=axis(say("positions.score_axis"), **level_lines(values, palette)),
        shapes=[line_upwards(x, {"color": palette.soft, "width": 1, "dash": "dot"})],
        annotations=[words_at(x, y, say("positions.in_this_run"), yshift=14)],
    )


def head_lines(
    distances: np.ndarray,
    values: Float[np.ndarray, "head distance"],
    *,
    picked: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw the number that each head adds by distance, the selected head in front."""
    heads = [h for h in range(len(values)) if h != picked] + [picked]
    return framed(
        [_head_line(distances, values[head], head, head == picked, palette) for head in heads],
        size=(2 * _WIDE, _HIGH),
        margin=(68, 64, 12, 52),
        x=axis(say("positions.distance_axis"), standoff=10),
        y=axis(say("positions.bias_axis"), **level_lines(values, palette)),
        annotations=_head_names(distances, values, heads),
    )


def _head_line(
    distances: np.ndarray, values: np.ndarray, head: int, is_picked: bool, palette: Palette
) -> Values:
    told: Values = {"hovertemplate": labels.head_hover(head)}
    if is_picked:
        return curve(distances, values, palette.accent, 2.5, **told)
    return curve(distances, values, palette.soft, 1, dash=DASHES[head % 4], **told)


def _head_names(distances: np.ndarray, values: np.ndarray, heads: Sequence[int]) -> list[Values]:
    """Name lines at their right ends, except those too near to a named one."""
    room = 0.06 * (float(np.ptp(values)) or 1.0)
    named: list[Values] = []
    for head in reversed(heads):
        y = float(values[head, -1])
        if all(abs(y - other["y"]) > room for other in named):
            name = say("positions.head", head=head)
            named.append(words_at(int(distances[-1]), y, name, xanchor="left", xshift=4))
    return named
