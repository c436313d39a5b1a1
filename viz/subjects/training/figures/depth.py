"""Recorded trainings of deep stacks: their losses, and the gradients of their layers."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from texts import say, say_of
from viz.pictures.axes import axis, grid_lines
from viz.pictures.figures import DASHES, Values, figure, line_across, words_at
from viz.pictures.theme import LIGHT, Palette

_MARGIN = (64, 316, 16, 48)
_LABEL = 17
"""Least distance of two names beside the ends of their lines, in pixels."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Line(NamedTuple):
    """One training in a figure."""

    name: str
    pre_norm: bool
    values: Sequence[float]


def depth_losses(
    lines: Sequence[Line],
    *,
    every: int,
    unigram: float,
    width: int,
    height: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Loss by step of each training, and that of a model that knows only frequencies."""
    point = say("training.depth_loss_point", step="%{x}", loss="%{y:.3f}")
    traces = [
        {
            "x": [every * (place + 1) for place in range(len(line.values))],
            **_drawn(line, look, point),
        }
        for line, look in zip(lines, _looks(lines, palette), strict=True)
    ]
    low = min([unigram, *(min(line.values) for line in lines)]) - 0.1
    high = max([unigram, *(max(line.values) for line in lines)]) + 0.1
    names = [(line.values[-1], line.name, _colour(line, palette)) for line in lines]
    names.append((unigram, say("training.depth_unigram"), palette.soft))
    per_pixel = (high - low) / (height - _MARGIN[2] - _MARGIN[3])
    places = _apart([value for value, _, _ in names], _LABEL * per_pixel)
    beside = {"xref": "paper", "xanchor": "left", "xshift": 6}
    levels = {"range": [low, high], **grid_lines(palette)}
    return figure(
        traces,
        x=axis(say("training.rate_step"), standoff=None, showline=True),
        y=axis(say("training.nats_axis"), standoff=12, **levels),
        width=width,
        height=height,
        margin=_MARGIN,
        showlegend=False,
        shapes=[line_across(unigram, {"color": palette.soft, "width": 1, "dash": "dot"})],
        annotations=[
            words_at(1, y, name, **beside, font={"color": colour})
            for (_, name, colour), y in zip(names, places, strict=True)
        ],
    )


def layer_gradients(
    lines: Mapping[str, Sequence[Line]],
    *,
    width: int,
    height: int,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Norm of the gradient of each layer on a logarithmic scale, the stacks side by side.

    `lines` has for each stack the norms of its layers, the lowest first. The lines look as in
    `depth_losses` of the same trainings.
    """
    share = 1 / len(lines)
    traces, axes = [], {}
    for place, (stack, drawn) in enumerate(lines.items()):
        number = str(place + 1) if place else ""
        point = say_of("training.depth_point", stack, layer="%{x}", norm="%{y:.3g}")
        for line, look in zip(drawn, _looks(drawn, palette), strict=True):
            dotted = {"mode": "lines+markers", "marker": {"size": 5}, "xaxis": f"x{number}"}
            layers = [*range(len(line.values))]
            traces.append({"x": layers, **_drawn(line, look, point), **dotted})
        axes[f"xaxis{number}"] = axis(
            say_of("training.depth_layer", stack),
            standoff=None,
            domain=[place * share + (0.03 if place else 0), (place + 1) * share - 0.01],
            dtick=1 if max(len(line.values) for line in drawn) < 16 else None,
            showline=True,
        )
    norms = [norm for drawn in lines.values() for line in drawn for norm in line.values]
    powers = _powers(min(norms), max(norms))
    levels = {
        "type": "log",
        "tickvals": [10.0**power for power in powers],
        "ticktext": [f"10{str(power).translate(_RAISED)}" for power in powers],
    }
    return figure(
        traces,
        x=axes.pop("xaxis"),
        y=axis(say("training.depth_norm"), standoff=12, **levels, **grid_lines(palette)),
        width=width,
        height=height,
        margin=(_MARGIN[0], 16, *_MARGIN[2:]),
        showlegend=False,
        **axes,
    )


def _drawn(line: Line, look: Values, point: str) -> Values:
    told = {"name": line.name, "hovertemplate": f"{point}<extra>%{{fullData.name}}</extra>"}
    return {"type": "scatter", "y": [*line.values], "mode": "lines", "line": look, **told}


def _powers(least: float, most: float) -> list[int]:
    """Choose powers of ten around a range, at most nine."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    return [*range(first, last + 1, 1 + (last - first) // 8)]


def _looks(lines: Sequence[Line], palette: Palette) -> list[Values]:
    """Draw pre-norm in one colour and post-norm in another, those of a colour in different dashes.

    The colours are the two that no role has.
    """
    counts = {False: 0, True: 0}
    looks: list[Values] = []
    for line in lines:
        dash = DASHES[counts[line.pre_norm] % 5]
        counts[line.pre_norm] += 1
        looks.append({"color": _colour(line, palette), "dash": dash, "width": 2.2})
    return looks


def _colour(line: Line, palette: Palette) -> str:
    return palette.diverging[-2] if line.pre_norm else palette.diverging[1]


def _apart(values: Sequence[float], least: float) -> list[float]:
    """Move values up until neighbours are at least so far apart; their order stays."""
    order = sorted(range(len(values)), key=values.__getitem__)
    places = list(values)
    for before, after in itertools.pairwise(order):
        places[after] = max(places[after], places[before] + least)
    return places
