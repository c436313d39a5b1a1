"""Size, titles, ticks and colours that the figures of positions share."""

from typing import Any

import plotly.graph_objects as go

from viz.pictures.theme import Palette

_MOST_TICKS = 9


def lay_out(
    figure: go.Figure,
    *,
    wide: int,
    high: int,
    x_title: str,
    y_title: str,
    top: bool = False,
    left: int = 68,
    below: int = 12,
) -> None:
    """Give the plot its size in pixels, and its axes their words; with `top`, x stands above."""
    room = 52
    margin = {"l": left, "r": 14, "t": room if top else 12, "b": below if top else room}
    figure.update_xaxes(
        title={"text": x_title, "standoff": 10}, side="top" if top else "bottom", fixedrange=True
    )
    figure.update_yaxes(title={"text": y_title, "standoff": 8}, fixedrange=True)
    figure.update_layout(
        width=wide + margin["l"] + margin["r"],
        height=high + margin["t"] + margin["b"],
        margin={**margin, "autoexpand": False},
        showlegend=False,
        dragmode=False,
    )


def signed_colours(largest: float, palette: Palette, **bar: Any) -> dict[str, Any]:  # noqa: ANN401 - plotly's own
    """Colour signed values about 0 on one axis of colours, with a thin bar to read them by."""
    return {
        "cmin": -largest,
        "cmax": largest,
        "colorscale": list(palette.diverging),
        "colorbar": {
            "thickness": 8,
            "outlinewidth": 0,
            "tickvals": [-largest, 0, largest],
            "ticktext": [f"−{largest:.3g}", "0", f"{largest:.3g}"],
            "ticks": "",
            "tickfont": {"size": 11},
            **bar,
        },
    }


def draw_level_lines(figure: go.Figure, low: float, high: float, palette: Palette) -> None:
    """Let the upright axis count from `low` to `high`, with a line at each number and at 0."""
    figure.update_yaxes(
        range=[low, high],
        showgrid=True,
        gridcolor=palette.grid,
        zeroline=True,
        zerolinecolor=palette.hatch,
    )


def number_ticks(count: int, most: int = _MOST_TICKS) -> dict[str, Any]:
    """Tick an axis that counts from 0, at round steps."""
    step = next(
        s for s in (1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 512) if count <= s * most
    )
    return {
        "tickvals": [*range(0, count, step)],
        "ticktext": [str(i) for i in range(0, count, step)],
    }


def stand_side_by_side(
    figure: go.Figure, count: int, *, wide: int, gap: int, palette: Palette
) -> int:
    """Give the plots of one row equal widths in pixels, titles above. Returns the whole width."""
    whole = count * wide + (count - 1) * gap
    for column in range(count):
        left = column * (wide + gap) / whole
        figure.update_xaxes(domain=[left, left + wide / whole], row=1, col=column + 1)
        title = figure.layout.annotations[column]  # pyright: ignore
        title.update(x=left + wide / whole / 2, font={"size": 12.5, "color": palette.ink})
    return whole
