"""Curves over one axis, named in a legend: what the demonstrations of the variants draw."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from viz.pictures.axes import literal
from viz.pictures.theme import LIGHT, Palette

_SIZE = (560, 300)
_MARGIN = {"l": 62, "r": 16, "t": 44, "b": 46}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def curves(
    x: Float[np.ndarray, " x"],
    lines: Mapping[str, Float[np.ndarray, " x"]],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    log_y: bool = False,
    marks: Sequence[float] = (),
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw some lines, told apart by colour and by dash, with upright lines at the marks."""
    figure = go.Figure()
    colours = (
        palette.accent,
        palette.query,
        palette.value,
        palette.gold,
        palette.key,
        palette.soft,
    )
    for i, (name, y) in enumerate(lines.items()):
        figure.add_trace(
            go.Scatter(
                x=x,
                y=y,
                name=literal(name),
                mode="lines",
                line={
                    "color": colours[i % len(colours)],
                    "dash": _DASHES[i % len(_DASHES)],
                    "width": 2,
                },
                hovertemplate="%{y:.3g}",
            )
        )
    for mark in marks:
        figure.add_vline(
            x=mark,
            line={"color": palette.hatch, "width": 1},
            annotation={
                "text": f"{mark:g}",
                "font": {"color": palette.soft},
                "yanchor": "bottom",
                "xanchor": "center",
            },
            annotation_position="top",
        )
    kinds = {True: "log", False: "linear"}
    powers = {"exponentformat": "power", "dtick": 2}
    figure.update_xaxes(
        title={"text": literal(x_title), "standoff": 8},
        type=kinds[log_x],
        fixedrange=True,
        ticklabelstandoff=4,
        **(powers if log_x else {}),
    )
    figure.update_yaxes(
        title={"text": literal(y_title), "standoff": 8},
        type=kinds[log_y],
        fixedrange=True,
        showgrid=True,
        gridcolor=palette.grid,
        rangemode="normal" if log_y else "tozero",
        **({"exponentformat": "power", "dtick": 1} if log_y else {}),
    )
    width, height = _SIZE
    figure.update_layout(
        width=width,
        height=height,
        margin=_MARGIN,
        hovermode="x unified",
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.06 if not marks else 1.12,
            "yanchor": "bottom",
        },
    )
    return figure
