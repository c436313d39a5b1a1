"""A number for each position and dimension, drawn as one map with the words of a text beside it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import axis, columns, literal, rows
from viz.pictures.figures import Values, box, figure, signed_colours, words_at
from viz.pictures.theme import CHARACTER_WIDTH, FONT_SIZE, LIGHT, MONO, Palette
from viz.subjects.positions.words import labels

HIGH = 264
"""Height of the map itself, in pixels."""
MOST_WORDS = 20
"""Words that have room beside it, one above the other."""
_LONGEST = 11
"""Letters of a shortened word."""
_REACH = 24
"""Pixels from a word to its row."""
_ABOVE, _BELOW, _RIGHT = 26, 44, 52
_BAR = {
    "orientation": "h",
    "lenmode": "pixels",
    "len": 160,
    "x": 0,
    "xanchor": "left",
    "xpad": 0,
    "y": 0,
    "yanchor": "top",
    "ypad": 12,
}
_ONE = {"ticktext": ["−1", "0", "1"]}
"""Labels of the bar if the largest number is 1."""


def encoding_map(
    values: Float[np.ndarray, "position d_model"],
    *,
    words: Sequence[str] = (),
    most_words: int = MOST_WORDS,
    picked: tuple[int, int] | None = None,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw an encoding: a row for each position, a column for each dimension.

    Args:
        values: The encoding.
        words: Of the text, whose rows are framed and named, from the first position on.
        most_words: How many of them have room.
        picked: Position and dimension of a number that is framed.
        palette: Of the page.
    """
    frames = []
    if picked is not None:
        position, dimension = picked
        at = (dimension, dimension), (position, position)
        frames = [box(*at, palette.panel, 6), box(*at, palette.accent, 3)]  # seen on every colour
    return position_map(
        values,
        largest=float(np.abs(values).max()) or 1.0,
        across=say("positions.dimension_axis"),
        told={"hovertemplate": labels.encoding_hover()},
        words=words,
        most_words=most_words,
        frames=frames,
        palette=palette,
    )


def position_map(
    values: Float[np.ndarray, "position column"],
    *,
    largest: float | int,
    across: str,
    told: Values,
    words: Sequence[str],
    most_words: int,
    frames: Sequence[Values] = (),
    palette: Palette,
) -> go.Figure:
    """Draw signed numbers for each position, and name the rows of a text's words at the left."""
    length, count = values.shape
    words = words[:length]
    cells = {"type": "heatmap", "z": values.astype(np.float32), "coloraxis": "coloraxis", **told}
    own = [box((0, count - 1), (0, len(words) - 1), palette.accent)] if words else []
    longest = max(map(len, (across, *map(_short, words))))
    left = 12 + _REACH + CHARACTER_WIDTH * longest
    numbers: dict[str, Any] = {"side": "right", **rows(length)}
    return figure(
        [cells],
        x=axis("", side="top", **columns(count)),
        y=axis(say("positions.position_axis"), **numbers),
        height=HIGH + _ABOVE + _BELOW,
        margin=(round(left), _RIGHT, _ABOVE, _BELOW),
        grows=False,
        showlegend=False,
        shapes=[*own, *frames],
        annotations=[
            _above_words(across, palette),
            *_named_rows(words, length, most_words, palette),
        ],
        coloraxis=signed_colours(largest, palette, **_BAR, **(_ONE if largest == 1 else {})),
        plot_bgcolor=palette.grid,
    )


def _above_words(text: str, palette: Palette) -> Values:
    """Name the columns at the left of their numbers."""
    font = {"size": FONT_SIZE, "color": palette.soft}
    corner = {"xanchor": "right", "yanchor": "bottom", "yref": "paper", "xshift": -12}
    return words_at(-0.5, 1, text, font=font, **corner)


def word_places(count: int, length: int, most: int) -> list[tuple[int, float]]:
    """Return which words are named, and beside which row their names have room.

    Rows are lower than letters, so that names reach further down than the rows do. If there are too
    many, every second or third is named.
    """
    room = length / most
    places: list[tuple[int, float]] = []
    for word in range(0, count, -(-count // most) if count else 1):
        least = places[-1][1] + room if places else room / 2 - 0.5
        places.append((word, max(float(word), least)))
    return places


def _named_rows(words: Sequence[str], length: int, most: int, palette: Palette) -> Iterator[Values]:
    """Name rows by their words, each at the end of a line from its row."""
    font = {"family": MONO, "size": FONT_SIZE, "color": palette.ink}
    line = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": palette.hatch}
    for word, place in word_places(len(words), length, most):
        name = literal(_short(words[word]))
        end = {"axref": "pixel", "ax": -_REACH, "ayref": "y", "ay": place, "xanchor": "right"}
        yield words_at(-0.5, word, name, font=font, **end, **line)


def _short(word: str) -> str:
    return word if len(word) <= _LONGEST else f"{word[: _LONGEST - 1]}…"
