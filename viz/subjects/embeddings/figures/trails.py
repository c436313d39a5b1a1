"""A text's tokens on their way through the layers: trails, and points that move in the browser."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import literal
from viz.pictures.figures import SKIPPED, TOLD
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.embeddings.figures.marks import Marks
from viz.subjects.embeddings.figures.space import (
    label_font,
    lay_out_space,
    paths,
    readable_labels,
    scatter,
    shown_text,
)

_BELOW = 128
"""Room for the slider and its button, in pixels."""
_SLIDER_FROM = 0.17
"""Where the slider begins, in parts of the width: right of the buttons."""
_STEP_MS = 900
_MOVE_MS = 500
_ALL, _SO_FAR, _NOW = range(3)
"""Traces: all trails, the trails up to the step in view, the tokens at that step."""


def token_trails(
    points: Float[np.ndarray, "step token dimension"],
    *,
    marks: Marks,
    norms: Float[np.ndarray, "step token"],
    steps: Sequence[str],
    titles: tuple[str, ...],
    selected: int | None,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw a frame for each step, all in one space; a slider and a button move between them."""
    looks = marks.looks(palette)
    flat = points.reshape(-1, points.shape[2])
    names = _names(points, flat, marks, selected)
    nowhere = np.full((1, points.shape[2]), np.nan)
    legend = [
        scatter(
            nowhere,
            name=literal(name),
            mode="markers",
            marker={"color": looks[name].colour, "symbol": looks[name].symbol, "size": 9},
        )
        for name in marks.names
    ]
    first = _first_frame(points, marks, norms, steps, selected, names, palette)
    figure = go.Figure([*first, *legend])
    figure.frames = [
        go.Frame(
            name=step,
            data=[
                _so_far(points[: i + 1], palette),
                _now(points[i], marks, norms[i], step, names, palette),
            ],
            traces=[_SO_FAR, _NOW],
        )
        for i, step in enumerate(steps)
    ]
    lay_out_space(figure, flat, titles, palette, below=_BELOW)
    figure.update_layout(
        sliders=[_slider(steps, palette, in_space=points.shape[2] == 3)],
        updatemenus=[_buttons(palette, in_space=points.shape[2] == 3)],
    )
    return figure


def _names(
    points: Float[np.ndarray, "step token dimension"],
    among: Float[np.ndarray, "state dimension"],
    marks: Marks,
    selected: int | None,
) -> list[str]:
    """Label the tokens that have room at every step.

    The same ones at all steps: Plotly mixes up labels that come and go while points move.
    """
    first = [] if selected is None else [selected]
    labels = marks.tokens
    for at_step in points[::-1]:
        labels = readable_labels(at_step, labels, first, among)
    names = [shown_text(label, points.shape[2]) for label in labels]
    if selected is not None:
        names[selected] = f"<b>{names[selected]}</b>"
    return names


def _first_frame(
    points: Float[np.ndarray, "step token dimension"],
    marks: Marks,
    norms: Float[np.ndarray, "step token"],
    steps: Sequence[str],
    selected: int | None,
    names: Sequence[str],
    palette: Palette,
) -> list[Any]:
    hover = [
        "" if step is None else marks.hover(token, float(norms[step, token]), literal(steps[step]))
        for token in range(len(marks.tokens))
        for step in (*range(len(steps)), None)
    ]
    traces = [
        scatter(
            paths(points),
            name="all steps",
            mode="lines+markers",
            line={"color": palette.line, "width": 1.5},
            marker={"size": 4 if points.shape[2] == 2 else 2, "color": palette.hatch},
            hovertext=hover,
            hovertemplate=TOLD,
            showlegend=False,
        ),
        _so_far(points[:1], palette),
        _now(points[0], marks, norms[0], steps[0], names, palette),
    ]
    if selected is not None:
        traces.append(
            scatter(
                points[:, selected],
                name="selected",
                mode="lines",
                line={"color": palette.accent, "width": 3},
                opacity=0.6,
                **SKIPPED,
            )
        )
    return traces


def _so_far(points: Float[np.ndarray, "step token dimension"], palette: Palette) -> Any:  # noqa: ANN401 - either scatter
    return scatter(
        paths(points),
        name="so far",
        mode="lines",
        line={"color": palette.soft, "width": 1.5},
        **SKIPPED,
    )


def _now(
    points: Float[np.ndarray, "token dimension"],
    marks: Marks,
    norms: Float[np.ndarray, " token"],
    step: str,
    names: Sequence[str],
    palette: Palette,
) -> Any:  # noqa: ANN401 - either scatter
    looks = [marks.looks(palette)[name] for name in marks.groups]
    size = 10 if points.shape[1] == 2 else 5
    return scatter(
        points,
        name="tokens",
        mode="markers+text",
        text=list(names),
        textposition="top center",
        textfont=label_font(points.shape[1], palette),
        marker={
            "size": size,
            "color": [look.colour for look in looks],
            "symbol": [look.symbol for look in looks],
        },
        customdata=list(range(len(names))),
        hovertext=[marks.hover(i, norm, literal(step)) for i, norm in enumerate(norms.tolist())],
        hovertemplate=TOLD,
        showlegend=False,
    )


def _move(*, in_space: bool, every: int) -> dict[str, Any]:
    """State how to go to a frame: in space the whole scene is drawn again, so nothing glides."""
    return {
        "mode": "immediate",
        "fromcurrent": True,
        "frame": {"duration": every, "redraw": in_space},
        "transition": {"duration": 0 if in_space else _MOVE_MS, "easing": "cubic-in-out"},
    }


def _slider(steps: Sequence[str], palette: Palette, *, in_space: bool) -> dict[str, Any]:
    go_to = _move(in_space=in_space, every=0)
    return {
        "active": 0,
        "x": _SLIDER_FROM,
        "len": 1 - _SLIDER_FROM,
        "y": 0,
        "pad": {"t": 46, "b": 0},
        "currentvalue": {
            "prefix": say("embeddings.step_now", step=""),
            "font": {"size": 13, "color": palette.ink},
        },
        "bgcolor": palette.line,
        "activebgcolor": palette.accent,
        "bordercolor": palette.line,
        "tickcolor": palette.soft,
        "font": {"color": palette.soft},
        "transition": {"duration": 0 if in_space else _MOVE_MS},
        "steps": [
            {"label": literal(step), "method": "animate", "args": [[step], go_to]} for step in steps
        ],
    }


def _buttons(palette: Palette, *, in_space: bool) -> dict[str, Any]:
    """Play from the step in view, and pause: to go nowhere stops what is on its way."""
    play, pause = _move(in_space=in_space, every=_STEP_MS), _move(in_space=False, every=0)
    return {
        "type": "buttons",
        "direction": "right",
        "showactive": False,
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "pad": {"t": 64, "r": 10},
        "bgcolor": palette.panel,
        "bordercolor": palette.line,
        "font": {"color": palette.ink},
        "buttons": [
            {"label": say("embeddings.play"), "method": "animate", "args": [None, play]},
            {"label": say("embeddings.pause"), "method": "animate", "args": [[None], pause]},
        ],
    }
