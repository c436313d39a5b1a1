"""A vocabulary as points: one for each token, coloured by group, with one token and its nearest."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import literal
from viz.pictures.figures import SKIPPED, TOLD
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.figures.space import (
    Scatter,
    label_font,
    lay_out_space,
    readable_labels,
    scatter,
    shown_text,
)

_ALL_LABELLED = 80
"""Up to this many points all have their labels."""
_SIZES = {2: 7, 3: 4}
"""Of a point in pixels, by the dimensions of the picture."""
_OPACITY = 0.85
_RING = 10
"""How much larger than a point the ring around the selected one is."""


def token_cloud(
    points: Float[np.ndarray, "token dimension"],
    *,
    marks: Marks,
    norms: Float[np.ndarray, " token"],
    titles: tuple[str, ...],
    selected: int | None,
    neighbours: Sequence[int],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw each token as a point, with its index as `customdata`; a trace for each group.

    The selected token has a ring, and lines to its neighbours, which are labelled.
    """
    figure = go.Figure([_group_trace(points, marks, norms, name, palette) for name in marks.names])
    first = [] if selected is None else [selected, *neighbours]
    every = len(points) <= _ALL_LABELLED
    wanted = [token if every or i in first else "" for i, token in enumerate(marks.tokens)]
    labels = readable_labels(points, wanted, first, points)
    names = [shown_text(label, points.shape[1]) for label in labels]
    if selected is not None:
        names[selected] = f"<b>{names[selected]}</b>"
        figure.add_traces(_selected_traces(points, selected, neighbours, palette))
    labelled = [i for i, name in enumerate(names) if name]
    figure.add_trace(
        scatter(
            points[labelled],
            name="labels",
            mode="text",
            text=[names[i] for i in labelled],
            textposition="top center",
            textfont=label_font(points.shape[1], palette),
            **SKIPPED,
        )
    )
    lay_out_space(figure, points, titles, palette)
    return figure


def _group_trace(
    points: Float[np.ndarray, "token dimension"],
    marks: Marks,
    norms: Float[np.ndarray, " token"],
    name: str,
    palette: Palette,
) -> Scatter:
    members = [i for i, group in enumerate(marks.groups) if group == name]
    look = marks.looks(palette)[name]
    in_space = points.shape[1] == 3
    unchanged = {"marker": {"opacity": _OPACITY}}  # by a click: the page marks the token itself
    return scatter(
        points[members],
        name=say("embeddings.group_size", group=literal(name), count=len(members)),
        mode="markers",
        marker={
            "size": _SIZES[points.shape[1]],
            "color": look.colour,
            "symbol": look.symbol,
            "opacity": _OPACITY,
        },
        text=[marks.tokens[i] for i in members],  # unseen: of the saved table
        customdata=members,
        hovertext=[marks.hover(i, float(norms[i])) for i in members],
        hovertemplate=TOLD,
        **({} if in_space else {"selected": unchanged, "unselected": unchanged}),
    )


def _selected_traces(
    points: Float[np.ndarray, "token dimension"],
    selected: int,
    neighbours: Sequence[int],
    palette: Palette,
) -> list[Scatter]:
    """Draw the lines to the neighbours, and the ring."""
    spokes = np.full((3 * len(neighbours), points.shape[1]), np.nan)
    spokes[0::3] = points[selected]
    spokes[1::3] = points[list(neighbours)]
    line = {"color": palette.accent, "width": 1}
    ring = {
        "symbol": "circle-open",
        "size": _SIZES[points.shape[1]] + _RING,
        "color": palette.accent,
        "line": {"width": 2.5, "color": palette.accent},
    }
    return [
        scatter(spokes, name="nearest", mode="lines", line=line, opacity=0.55, **SKIPPED),
        scatter(points[[selected]], name="selected", mode="markers", marker=ring, **SKIPPED),
    ]
