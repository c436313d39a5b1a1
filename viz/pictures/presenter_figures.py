"""Figures for an audience: larger type, and space for it."""

from typing import Any

import plotly.graph_objects as go

from viz.pictures.theme import FONT_SIZE

LEAST_PIXELS = 18
"""Least font size in pixels that the last row of a classroom can read, on 720 lines."""
WIDEST = 1120
"""Width in pixels of a card on a page 1280 pixels wide, without the sidebar."""
HIGHEST = 460
"""Height in pixels of such a page below a heading and its answer."""
_TIMES = LEAST_PIXELS / FONT_SIZE
_FONTS = ("font", "tickfont", "textfont", "insidetextfont", "outsidetextfont")
_ROOM = ("margin", "pad")
_LENGTHS = ("xshift", "yshift", "standoff", "thickness", "ticklen", "itemwidth", "buffer")
"""Lengths in pixels that depend on the size of the type."""
_MARKS = ("marker", "line")


def enlarge(figure: go.Figure) -> go.Figure:
    """Enlarge the type of a figure by half, and the figure with it if its size is fixed.

    It grows no wider than a card, and no higher than the space below a heading.
    """
    plain = _grown(figure.to_dict())
    layout = plain["layout"]
    if layout.get("width"):
        layout["width"] = min(round(layout["width"] * _TIMES), WIDEST)
    if height := layout.get("height"):
        layout["height"] = max(height, min(round(height * _TIMES), HIGHEST))
    return go.Figure(plain)


def _grown(part: Any, name: str = "") -> Any:  # noqa: ANN401 - any part of a figure
    if isinstance(part, list | tuple):
        is_numbers = not part or not isinstance(part[0], dict)
        return part if is_numbers else [_grown(each, name) for each in part]
    if isinstance(part, dict):
        if name in _FONTS:
            return part | {"size": _font_size(part.get("size", FONT_SIZE))}
        if name in _ROOM:
            return {key: _times(value) for key, value in part.items()}
        if name in _MARKS:
            sizes = {key: _times(part[key]) for key in ("size", "width") if key in part}
            part = part | sizes
        return {key: _grown(value, key) for key, value in part.items()}
    return _times(part) if name in _LENGTHS else part


def _font_size(size: Any) -> Any:  # noqa: ANN401 - one size, or one for each point
    if isinstance(size, list | tuple):
        return [_font_size(each) for each in size]
    return max(LEAST_PIXELS, size * _TIMES)


def _times(value: Any) -> Any:  # noqa: ANN401 - a length, or another value
    is_length = isinstance(value, int | float) and not isinstance(value, bool)
    return value * _TIMES if is_length else value
