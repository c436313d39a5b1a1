"""The path of a text's tokens through the layers: trails, and points that move in the browser."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from texts import say
from viz.pictures.axes import literal
from viz.pictures.figures import SKIPPED, TOLD
from viz.pictures.theme import LIGHT, Palette
from viz.subjects.embeddings.figures.marks import Marks, look, title
from viz.subjects.embeddings.figures.space import (
    label_font,
    lay_out_space,
    readable_labels,
    scatter,
)

_BELOW = 128
"""The height of the slider and its button, in pixels."""
_SLIDER_FROM = 0.17
"""The left end of the slider, to the right of the buttons, as a share of the width."""
_STEP_MS = 900
_MOVE_MS = 500
_ALL, _SO_FAR, _NOW = range(3)
"""The indices of traces: all trails, the trails up to the current step, the tokens there."""


def token_trails(
    points: Float[np.ndarray, "step token 2"],
    *,
    marks: Marks,
    norms: Float[np.ndarray, "step token"],
    steps: Sequence[str],
    titles: tuple[str, ...],
    palette: Palette = LIGHT,
) -> go.Figure:
    """Draw a frame for each step in one space, with a slider and a button to move between them."""
    flat = points.reshape(-1, 2)
    names = _names(points, flat, marks)
    looks = {name: look(name, palette) for name in marks.names}
    legend = [
        scatter(
            np.full((1, 2), np.nan),
            name=title(name),
            mode="markers",
            marker={"color": of.colour, "symbol": of.symbol, "size": 9},
        )
        for name, of in looks.items()
    ]
    figure = go.Figure([*_first_frame(points, marks, norms, steps, names, palette), *legend])
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
    lay_out_space(figure, flat, titles, below=_BELOW)
    figure.update_layout(sliders=[_slider(steps, palette)], updatemenus=[_buttons(palette)])
    return figure


def _names(
    points: Float[np.ndarray, "step token 2"], among: Float[np.ndarray, "state 2"], marks: Marks
) -> list[str]:
    """Label the tokens that have room at every step.

    The same tokens are labelled at all steps, because Plotly mixes up labels that appear and
    disappear while points move.
    """
    labels = marks.tokens
    for at_step in points[::-1]:
        labels = readable_labels(at_step, labels, (), among)
    return [literal(label) for label in labels]


def _paths(points: Float[np.ndarray, "step token 2"]) -> Float[np.ndarray, "point 2"]:
    """Write each token's points one after the other, with a gap between two tokens."""
    steps, tokens, _ = points.shape
    whole = np.concatenate([points, np.full((1, tokens, 2), np.nan)])
    return whole.transpose(1, 0, 2).reshape((steps + 1) * tokens, 2)


def _first_frame(
    points: Float[np.ndarray, "step token 2"],
    marks: Marks,
    norms: Float[np.ndarray, "step token"],
    steps: Sequence[str],
    names: Sequence[str],
    palette: Palette,
) -> list[go.Scatter]:
    hover = [
        "" if step is None else _hover(marks, token, norms[step, token], steps[step])
        for token in range(len(marks.tokens))
        for step in (*range(len(steps)), None)
    ]
    return [
        scatter(
            _paths(points),
            name="all steps",
            mode="lines+markers",
            line={"color": palette.line, "width": 1.5},
            marker={"size": 4, "color": palette.hatch},
            hovertext=hover,
            hovertemplate=TOLD,
            showlegend=False,
        ),
        _so_far(points[:1], palette),
        _now(points[0], marks, norms[0], steps[0], names, palette),
    ]


def _hover(marks: Marks, token: int, norm: float, step: str) -> str:
    return marks.hover(token, say("embeddings.norm", norm=float(norm)), literal(step))


def _so_far(points: Float[np.ndarray, "step token 2"], palette: Palette) -> go.Scatter:
    return scatter(
        _paths(points),
        name="so far",
        mode="lines",
        line={"color": palette.soft, "width": 1.5},
        **SKIPPED,
    )


def _now(
    points: Float[np.ndarray, "token 2"],
    marks: Marks,
    norms: Float[np.ndarray, " token"],
    step: str,
    names: Sequence[str],
    palette: Palette,
) -> go.Scatter:
    looks = [look(name, palette) for name in marks.groups]
    return scatter(
        points,
        name="tokens",
        mode="markers+text",
        text=list(names),
        textposition="top center",
        textfont=label_font(palette),
        marker={
            "size": 10,
            "color": [look.colour for look in looks],
            "symbol": [look.symbol for look in looks],
        },
        customdata=list(range(len(names))),
        hovertext=[_hover(marks, i, norm, step) for i, norm in enumerate(norms)],
        hovertemplate=TOLD,
        showlegend=False,
    )


def _move(every: int) -> dict[str, Any]:
    """Describe the move to a frame, as Plotly takes it."""
    return {
        "mode": "immediate",
        "fromcurrent": True,
        "frame": {"duration": every, "redraw": False},
        "transition": {"duration": _MOVE_MS, "easing": "cubic-in-out"},
    }


def _slider(steps: Sequence[str], palette: Palette) -> dict[str, Any]:
    go_to = _move(0)
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
        "transition": {"duration": _MOVE_MS},
        "steps": [
            {"label": literal(step), "method": "animate", "args": [[step], go_to]} for step in steps
        ],
    }


def _buttons(palette: Palette) -> dict[str, Any]:
    """Make the buttons that play from the current step, and pause by a move to nowhere."""
    play, pause = _move(_STEP_MS), _move(0)
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
