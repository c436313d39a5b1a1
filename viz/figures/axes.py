"""Axes of tokens, which several figures share."""

import html
from collections.abc import Sequence

import plotly.graph_objects as go

from viz.figures.theme import CHARACTER_WIDTH, LIGHT, MONO, Palette

_LONGEST_LABEL = 16
_TITLE_ROOM = 38
_TITLE_DISTANCE = 10
_LEAST_RIGHT = 60
_LEAST_HEIGHT = 190
"""So that the titles of the axes fit, however few the tokens are."""
_BELOW = 44
_SHORT = 120
"""Height in pixels of rows beside which a title has no room in one line."""
_TITLE_LINE = 17
_SLANT = 0.72
"""Height of a label at 45 degrees, in parts of its length."""
_UPRIGHT_BELOW = 18
"""Cells narrower than this have upright labels: slanted ones would touch."""


def literal(token: str) -> str:
    """Show a token as it is: Plotly would take `<s>` for an instruction to strike through."""
    return html.escape(token, quote=False)


def label(token: str) -> str:
    """Shorten a token to what an axis has room for."""
    shown = token if len(token) <= _LONGEST_LABEL else f"{token[: _LONGEST_LABEL - 1]}…"
    return literal(shown)


def label_with_tokens(
    figure: go.Figure,
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    query_title: str,
    key_title: str,
    cell: int,
    palette: Palette = LIGHT,
) -> None:
    """Label columns with key tokens and rows with query tokens, the first query at the top.

    The axes stay numeric: Plotly merges the rows of a category that comes twice, as "the" does.
    Every cell is a square of `cell` pixels, and the figure as large as that makes it.
    """
    key_room, query_room = _room(key_tokens), _room(query_tokens)
    angle = 0 if key_room <= cell else -90 if cell < _UPRIGHT_BELOW else -45
    top = {0: 24, -45: round(key_room * _SLANT) + 8, -90: key_room + 4}[angle]
    right = max(_LEAST_RIGHT, round(key_room * _SLANT) if angle == -45 else 0)
    ticks = {"size": min(12, cell), "family": MONO}
    query_lines = _in_lines(query_title, cell * len(query_tokens))
    figure.update_xaxes(
        side="top",
        title={
            "text": literal(key_title),
            "font": {"color": palette.key},
            "standoff": _TITLE_DISTANCE,
        },
        tickvals=[*range(len(key_tokens))],
        ticktext=[label(token) for token in key_tokens],
        tickangle=angle,
        tickfont=ticks,
        range=[-0.5, len(key_tokens) - 0.5],
        fixedrange=True,
    )
    figure.update_yaxes(
        title={
            "text": "<br>".join(query_lines),
            "font": {"color": palette.query},
            "standoff": _TITLE_DISTANCE,
        },
        tickvals=[*range(len(query_tokens))],
        ticktext=[label(token) for token in query_tokens],
        tickfont=ticks,
        range=[len(query_tokens) - 0.5, -0.5],
        fixedrange=True,
    )
    left = query_room + _TITLE_ROOM + _TITLE_LINE * (len(query_lines) - 1)
    margin = {"l": left, "r": right, "t": top + _TITLE_ROOM, "b": _BELOW}
    short = _LEAST_HEIGHT - margin["t"] - margin["b"] - cell * len(query_tokens)
    margin["b"] += max(0, short)
    figure.update_layout(
        width=margin["l"] + margin["r"] + cell * len(key_tokens),
        height=margin["t"] + margin["b"] + cell * len(query_tokens),
        margin={**margin, "autoexpand": False},
    )


def _in_lines(title: str, height: int) -> list[str]:
    """Put a title beside few rows into two lines: there is no height for the whole in one."""
    words = title.split()
    half = len(words) if height >= _SHORT else (len(words) + 1) // 2
    return [literal(" ".join(part)) for part in (words[:half], words[half:]) if part]


def _room(tokens: Sequence[str]) -> int:
    longest = max((min(len(token), _LONGEST_LABEL) for token in tokens), default=1)
    return round(longest * CHARACTER_WIDTH) + 8
