"""Words as points: one for each, coloured by group, with words and lines to their nearest."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.pictures.axes import literal
from viz.pictures.figures import SKIPPED
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.embeddings.figures.marks import Marks, look, title
from viz.subjects.embeddings.figures.space import (
    MOST_LABELS,
    NARROW,
    label_font,
    lay_out_space,
    readable_labels,
    scatter,
    word_dots,
)

_ALL_LABELLED = 80
"""Up to this many points all have their labels."""
_SIZE = 7
_OPACITY = 0.85
_RING = 10
"""How much larger than a point the ring around the selected one is."""


def token_cloud(
    points: Float[np.ndarray, "token 2"],
    *,
    marks: Marks,
    selected: int,
    nearest: Mapping[int, Sequence[int]],
    of_text: Sequence[int] = (),
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw each token as a point, with its index as `customdata`; a trace for each group.

    The selected token has a ring. Tokens whose nearest are given have lines to these, and bold
    labels; so have those of the text. Of many tokens those in front are named that have room.
    """
    figure = go.Figure([_group_trace(points, marks, name, palette) for name in marks.names])
    heads = [*dict.fromkeys((selected, *nearest, *of_text))]
    first = [*heads, *(i for near in nearest.values() for i in near)]
    most = None if len(points) <= _ALL_LABELLED else MOST_LABELS
    kept = readable_labels(points, marks.tokens, first, points, most=most, room=NARROW)
    names = [literal(label) for label in kept]
    for head in heads:
        names[head] = names[head] and f"<b>{names[head]}</b>"
    figure.add_traces(_marked(points, selected, nearest, palette))
    labelled = [i for i, name in enumerate(names) if name]
    figure.add_trace(
        scatter(
            points[labelled],
            name="labels",
            mode="text",
            text=[names[i] for i in labelled],
            textposition="top center",
            textfont=label_font(palette),
            **SKIPPED,
        )
    )
    lay_out_space(figure, points, (), y=-0.02, yanchor="top")
    return figure


def _group_trace(
    points: Float[np.ndarray, "token 2"], marks: Marks, name: str, palette: Palette
) -> go.Scatter:
    members = [i for i, group in enumerate(marks.groups) if group == name]
    looks = look(name, palette)
    marker = {
        "size": _SIZE,
        "color": looks.colour,
        "symbol": looks.symbol,
        "opacity": _OPACITY,
    }
    return word_dots(
        points[members],
        members,
        [marks.tokens[i] for i in members],
        marker,
        name=title(name),
        told=[marks.hover(i) for i in members],
    )


def _marked(
    points: Float[np.ndarray, "token 2"],
    selected: int,
    nearest: Mapping[int, Sequence[int]],
    palette: Palette,
) -> list[go.Scatter]:
    """Draw the lines to the neighbours, and the ring."""
    pairs = [(token, other) for token, near in nearest.items() for other in near]
    spokes = np.full((3 * len(pairs), 2), np.nan)
    for i, (token, other) in enumerate(pairs):
        spokes[3 * i], spokes[3 * i + 1] = points[token], points[other]
    ring = {
        "symbol": "circle-open",
        "size": _SIZE + _RING,
        "color": palette.accent,
        "line": {"width": 2.5, "color": palette.accent},
    }
    line = {"color": palette.hatch, "width": 1}
    return [
        scatter(spokes, name="nearest", mode="lines", line=line, **SKIPPED),
        scatter(points[[selected]], name="selected", mode="markers", marker=ring, **SKIPPED),
    ]
