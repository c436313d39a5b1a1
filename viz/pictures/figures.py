"""Parts of figures as plain values: traces, marks, and the layout around a plot.

A figure is assembled as one value, because Plotly checks it again at each change.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.pictures.theme import Palette

Values = dict[str, Any]

LEGEND = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}
"""A legend in a row above the plot."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
"""Dashes that distinguish lines without colours."""
SKIPPED = {"hoverinfo": "skip", "showlegend": False}
"""A trace without hover text or legend."""
TOLD = "%{hovertext}<extra></extra>"
"""Hover template of a trace that has a text for each point."""
BELOW, ABOVE = (68, 14, 12, 52), (68, 14, 52, 12)
"""Margins of a plot with its x axis below or above: left, right, above and below, in pixels."""


def figure(
    traces: Iterable[Values],
    *,
    x: Values,
    y: Values,
    height: int,
    margin: tuple[int, int, int, int],
    grows: bool | None = None,
    **layout: Any,  # noqa: ANN401 - Plotly's own
) -> go.Figure:
    """Return a figure that cannot be dragged; `margin` is left, right, above and below."""
    sides = {**dict(zip("lrtb", margin, strict=True)), "autoexpand": grows}
    around = {"xaxis": x, "yaxis": y, "height": height, "margin": sides, "dragmode": False}
    return go.Figure(data=[*traces], layout={**around, **layout})


def framed(
    traces: Iterable[Values],
    *,
    size: tuple[int, int],
    x: Values,
    y: Values,
    margin: tuple[int, int, int, int] = BELOW,
    **layout: Any,  # noqa: ANN401 - Plotly's own
) -> go.Figure:
    """Return a figure with one plot of a size in pixels."""
    (wide, high), (left, right, above, below) = size, margin
    whole = {"width": wide + left + right, "height": high + above + below}
    layout = {"showlegend": False, **whole, **layout}
    return figure(traces, x=x, y=y, margin=margin, grows=False, **layout)


def side_by_side(
    plots: Mapping[str, tuple[Iterable[Values], Values, Values]],
    *,
    wide: int,
    high: int,
    gap: int,
    margin: tuple[int, int, int, int],
    palette: Palette,
    **layout: Any,  # noqa: ANN401 - Plotly's own
) -> go.Figure:
    """Return plots of equal width in one row; each has a title, traces, an x and a y axis."""
    whole = len(plots) * wide + (len(plots) - 1) * gap
    traces, axes, titles = [], {}, []
    for column, (title, (drawn, x, y)) in enumerate(plots.items()):
        left, width = column * (wide + gap) / whole, wide / whole
        name = str(column + 1) if column else ""  # Plotly's numbering
        axes[f"xaxis{name}"] = {**x, "domain": [left, left + width], "anchor": f"y{name}"}
        axes[f"yaxis{name}"] = {**y, "domain": [0, 1], "anchor": f"x{name}"}
        traces += [{**trace, "xaxis": f"x{name}", "yaxis": f"y{name}"} for trace in drawn]
        font = {"size": 12.5, "color": palette.ink}
        above = {"xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
        titles.append(words_at(left + width / 2, 1, title, **above, font=font))
    first = {"x": axes.pop("xaxis"), "y": axes.pop("yaxis")}
    layout = {"showlegend": None, "annotations": titles, **axes, **layout}
    return framed(traces, size=(whole, high), margin=margin, **first, **layout)


def curve(
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    colour: str,
    width: float | int,
    *,
    dash: str | None = None,
    size: int | Sequence[int] | None = None,
    **more: Any,  # noqa: ANN401 - Plotly's own
) -> Values:
    """Return a line, with a dot at each of its points if a size is given."""
    line = {"color": colour, "width": width, "dash": dash}
    drawn = {"type": "scatter", "x": x, "y": y, "mode": "lines", "line": line}
    dots = {"mode": "lines+markers", "marker": {"color": colour, "size": size}} if size else {}
    return {**drawn, **dots, **more}


def dots(
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    marker: Values,
    **more: Any,  # noqa: ANN401 - Plotly's own
) -> Values:
    """Return points that look alike."""
    return {"type": "scatter", "x": x, "y": y, "mode": "markers", "marker": marker, **more}


def rings(x: Sequence[float], y: Sequence[float], colour: str, size: int = 13) -> Values:
    """Return rings around points of a plot."""
    ring = {"color": colour, "size": size, "symbol": "circle-open", "line": {"width": 2}}
    return dots(x, y, ring, hoverinfo="skip")


def line_across(y: float | int, line: Values, *, layer: str = "above") -> Values:
    """Return a horizontal line across a plot."""
    ends = {"xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": y, "y1": y}
    return {"type": "line", **ends, "line": line, "layer": layer}


def line_upwards(x: float | int, line: Values) -> Values:
    """Return a vertical line through a plot."""
    ends = {"xref": "x", "x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", **ends, "line": line}


def words_at(x: float | int, y: float | int, text: str, **more: Any) -> Values:  # noqa: ANN401
    """Return words at a point of the plot."""
    return {"x": x, "y": y, "text": text, "showarrow": False, **more}
