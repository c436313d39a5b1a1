"""Nouns divided twice: across by the gender that French gives them, upwards by number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say, say_of
from viz.pictures.axes import literal
from viz.pictures.figures import SKIPPED, line_across, line_upwards
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.embeddings.figures.marks import look, title
from viz.subjects.embeddings.figures.space import (
    MOST_LABELS,
    NARROW,
    label_font,
    lay_out_space,
    readable_labels,
    scatter,
    word_dots,
)

_SIZE, _RING = 6, 16


@dataclass(frozen=True, eq=False)
class DrawnNouns:
    """The nouns of the picture, the most frequent ones first."""

    words: Sequence[str]
    groups: Sequence[str]
    told: Sequence[str]
    """The text of each noun under a pointer."""
    of_text: Sequence[int]
    """The nouns of the sentence, as indices of this list."""
    used: Sequence[int]
    """The nouns that helped to fix the directions, which are drawn hollow."""


def noun_cuts(
    points: Float[np.ndarray, "noun 2"],
    nouns: DrawnNouns,
    *,
    selected: int | None,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw each noun as a point in the colour of its article, with its index as `customdata`."""
    first = [*([] if selected is None else [selected]), *nouns.of_text]
    kept = readable_labels(points, nouns.words, first, points, most=MOST_LABELS, room=NARROW)
    names = [literal(word) for word in kept]
    for i in first:
        names[i] = f"<b>{literal(nouns.words[i])}</b>" if names[i] else ""
    labelled = [i for i, name in enumerate(names) if name]
    labels = scatter(
        points[labelled],
        name="labels",
        mode="text",
        text=[names[i] for i in labelled],
        textposition="top center",
        textfont=label_font(palette),
        **SKIPPED,
    )
    dots = [_dots(points, nouns, name, palette) for name in ("le", "la")]
    figure = go.Figure([*dots, *_rings(points, nouns, selected, palette), labels])
    lay_out_space(figure, points, (), y=-0.1, yanchor="top")
    _name_sides(figure, palette)
    return figure


def _dots(
    points: Float[np.ndarray, "noun 2"], nouns: DrawnNouns, group: str, palette: Palette
) -> go.Scatter:
    members = [i for i, name in enumerate(nouns.groups) if name == group]
    marker = {
        "size": _SIZE,
        "color": look(group, palette).colour,
        "symbol": ["circle-open" if i in nouns.used else "circle" for i in members],
        "opacity": 0.75,
    }
    return word_dots(
        points[members],
        members,
        [nouns.words[i] for i in members],
        marker,
        name=title(group),
        told=[nouns.told[i] for i in members],
    )


def _rings(
    points: Float[np.ndarray, "noun 2"],
    nouns: DrawnNouns,
    selected: int | None,
    palette: Palette,
) -> list[go.Scatter]:
    """Ring the words of the sentence, and the chosen word with a thicker ring."""
    found = [(nouns.of_text, palette.ink, 1.5, say("embeddings.of_text"))]
    if selected is not None:
        found.append(([selected], palette.accent, 2.5, say("embeddings.chosen")))
    return [
        scatter(
            points[[*places]],
            name=name,
            mode="markers",
            marker={
                "symbol": "circle-open",
                "size": _RING,
                "color": colour,
                "line": {"width": width, "color": colour},
            },
            hoverinfo="skip",
        )
        for places, colour, width, name in found
        if len(places)
    ]


def _name_sides(figure: go.Figure, palette: Palette) -> None:
    """Name both sides of each boundary, and draw the boundaries."""
    font = {"size": 12, "color": palette.soft}
    sides = {
        "x": ("le", "la"),
        "y": ("one", "several"),
    }
    ticks = {
        axis: {
            "showticklabels": True,
            "tickvals": [-1, 1],
            "ticktext": [say_of("embeddings.side", name) for name in names],
            "tickfont": font,
        }
        for axis, names in sides.items()
    }
    line = {"color": palette.hatch, "width": 1.5}
    figure.update_layout(
        xaxis={**ticks["x"], "tickangle": 0},
        yaxis={**ticks["y"], "tickangle": -90},
        shapes=[line_across(0, line, layer="below"), {**line_upwards(0, line), "layer": "below"}],
    )
