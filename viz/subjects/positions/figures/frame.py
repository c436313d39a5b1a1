"""Frames, marks and colours that the figures of positions share, as plain values.

A figure is put together as one value and checked once: Plotly checks a figure anew at each change.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from viz.pictures.numbers import number_text
from viz.pictures.theme import Palette

Values = dict[str, Any]

_ROOM = 52
"""Pixels beside the plot where an axis has its words."""


def framed(
    traces: Iterable[Values],
    *,
    size: tuple[int, int],
    x: Values,
    y: Values,
    top: bool = False,
    left: int = 68,
    right: int = 14,
    below: int = 12,
    **layout: Any,  # noqa: ANN401 - plotly's own
) -> go.Figure:
    """Frame one plot of a size in pixels; with `top`, its x axis stands above."""
    wide, high = size
    margin = {"l": left, "r": right, "t": _ROOM if top else 12, "b": below if top else _ROOM}
    return go.Figure(
        data=[*traces],
        layout={
            "xaxis": {**x, "side": "top" if top else "bottom"},
            "yaxis": y,
            "width": wide + left + right,
            "height": high + margin["t"] + margin["b"],
            "margin": {**margin, "autoexpand": False},
            "showlegend": False,
            "dragmode": False,
            **layout,
        },
    )


def side_by_side(
    titles: Sequence[str],
    axes: Sequence[tuple[Values, Values]],
    *,
    wide: int,
    gap: int,
    palette: Palette,
) -> tuple[int, Values]:
    """Give plots of one row equal widths in pixels, titles above: the whole width, and a layout."""
    count = len(titles)
    whole = count * wide + (count - 1) * gap
    layout: Values = {"annotations": []}
    for column, (title, (x, y)) in enumerate(zip(titles, axes, strict=True)):
        left = column * (wide + gap) / whole
        name = axis_name(column)
        layout[f"xaxis{name}"] = {**x, "domain": [left, left + wide / whole], "anchor": f"y{name}"}
        layout[f"yaxis{name}"] = {**y, "domain": [0, 1], "anchor": f"x{name}"}
        layout["annotations"].append(
            {
                "text": title,
                "x": left + wide / whole / 2,
                "y": 1,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "center",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 12.5, "color": palette.ink},
            }
        )
    return whole, layout


def axis_name(column: int) -> str:
    """Number the axes of a plot as Plotly does: the first have no number."""
    return "" if column == 0 else str(column + 1)


def on_axes(column: int) -> dict[str, str]:
    """Put a trace into the plot of a column."""
    return {"xaxis": f"x{axis_name(column)}", "yaxis": f"y{axis_name(column)}"}


def signed_colours(largest: float, palette: Palette, **bar: Any) -> Values:  # noqa: ANN401
    """Colour signed values about 0 on one axis of colours, with a thin bar to read them by."""
    return {
        "cmin": -largest,
        "cmax": largest,
        "colorscale": list(palette.diverging),
        "colorbar": {
            "thickness": 8,
            "outlinewidth": 0,
            "tickvals": [-largest, 0, largest],
            "ticktext": [number_text(-largest), "0", number_text(largest)],
            "ticks": "",
            "tickfont": {"size": 11},
            **bar,
        },
    }


def box(x: tuple[float, float], y: tuple[float, float], colour: str, width: int) -> Values:
    """Draw a frame around some cells."""
    line = {"color": colour, "width": width}
    return {"type": "rect", "x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1], "line": line}


def line_across(y: float | int, line: Mapping[str, Any], *, layer: str = "above") -> Values:
    """Draw a line from the left to the right of a plot."""
    ends = {"xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": y, "y1": y}
    return {"type": "line", **ends, "line": dict(line), "layer": layer}


def line_upwards(x: float | int, line: Mapping[str, Any]) -> Values:
    """Draw a line from the foot to the top of a plot."""
    ends = {"xref": "x", "x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", **ends, "line": dict(line)}


def words_at(x: int, y: float, text: str, **more: Any) -> Values:  # noqa: ANN401
    """Write words at a point of the plot."""
    return {"x": x, "y": y, "text": text, "showarrow": False, **more}
