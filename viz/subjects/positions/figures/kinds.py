"""Positions that are no vectors, drawn: the angles of a turn, and numbers by distance."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, level_lines, number_ticks
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.positions.figures.frame import Values, box, framed, line_upwards, words_at
from viz.subjects.positions.words import labels

_WIDE, _HIGH = 360, 320
_ROW = (1, 22)
_DASHES = ("solid", "dash", "dot", "dashdot")


def angle_map(
    angles: Float[np.ndarray, "position pair"], *, picked: int, palette: Palette = LIGHT
) -> go.Figure:
    """Heat map of how far each pair is turned at each position: the cosine, 1 where it is not."""
    length, pairs = angles.shape
    least, most = _ROW
    row = max(least, min(most, _HIGH // length))
    cells = {
        "type": "heatmap",
        "z": np.cos(angles).astype(np.float32),
        "zmin": -1,
        "zmax": 1,
        "customdata": np.degrees(angles) % 360,
        "colorscale": list(palette.diverging),
        "showscale": False,
        "hovertemplate": labels.angles_hover(),
    }
    rows = {"range": [length - 0.5, -0.5], **number_ticks(length, most=max(2, length * row // 22))}
    columns = {"range": [-0.5, pairs - 0.5], **number_ticks(pairs)}
    frame = box((-0.5, pairs - 0.5), (picked - 0.5, picked + 0.5), palette.accent, 2)
    return framed(
        [cells],
        size=(_WIDE, length * row),
        x=axis(say("positions.angles_axis"), standoff=10, **columns),
        y=axis(say("positions.position_axis"), **rows),
        top=True,
        shapes=[frame],
    )


def distance_line(
    distances: np.ndarray,
    values: Float[np.ndarray, " distance"],
    *,
    here: tuple[int, float],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw a score by the distance, with a ring at the distance and the score of the run."""
    line: Values = {
        "type": "scatter",
        "x": distances,
        "y": values,
        "mode": "lines+markers",
        "line": {"color": palette.accent, "width": 1.5},
        "marker": {"color": palette.accent, "size": 4},
        "hovertemplate": labels.distance_hover(),
    }
    ring = {"color": palette.accent, "size": 13, "symbol": "circle-open", "line": {"width": 2}}
    dot = {"type": "scatter", "x": [here[0]], "y": [here[1]], "mode": "markers", "marker": ring}
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    pad = 0.1 * (high - low) or 1.0
    return framed(
        [line, {**dot, "hoverinfo": "skip"}],
        size=(_WIDE, _HIGH),
        x=axis(say("positions.distance_axis"), standoff=10),
        y=axis(say("positions.score_axis"), **level_lines(low - pad, high + pad, palette)),
        shapes=[line_upwards(here[0], {"color": palette.soft, "width": 1, "dash": "dot"})],
        annotations=[words_at(here[0], here[1], say("positions.in_this_run"), yshift=14)],
    )


def head_lines(
    distances: np.ndarray,
    values: Float[np.ndarray, "head distance"],
    *,
    picked: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw what each head adds by the distance, the picked head in front."""
    heads = [h for h in range(len(values)) if h != picked] + [picked]
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    pad = 0.1 * (high - low) or 1.0
    return framed(
        [_head_line(distances, values[head], head, head == picked, palette) for head in heads],
        size=(2 * _WIDE, _HIGH),
        right=64,
        x=axis(say("positions.distance_axis"), standoff=10),
        y=axis(say("positions.bias_axis"), **level_lines(low - pad, high + pad, palette)),
        annotations=_head_names(distances, values, heads),
    )


def _head_line(
    distances: np.ndarray, values: np.ndarray, head: int, is_picked: bool, palette: Palette
) -> Values:
    line = {"color": palette.soft, "width": 1, "dash": _DASHES[head % len(_DASHES)]}
    if is_picked:
        line = {"color": palette.accent, "width": 2.5}
    return {
        "type": "scatter",
        "x": distances,
        "y": values,
        "mode": "lines",
        "line": line,
        "hovertemplate": labels.head_hover(head),
    }


def _head_names(distances: np.ndarray, values: np.ndarray, heads: Sequence[int]) -> list[Values]:
    """Name lines at their right ends, but for those too near to one that is named."""
    room = 0.06 * (float(np.ptp(values)) or 1.0)
    named: list[Values] = []
    for head in reversed(heads):
        y = float(values[head, -1])
        if all(abs(y - other["y"]) > room for other in named):
            name = say("positions.head", head=head)
            named.append(words_at(int(distances[-1]), y, name, xanchor="left", xshift=4))
    return named
