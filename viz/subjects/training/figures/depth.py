"""Recorded trainings of deep stacks: their losses, and the gradients of their layers."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from texts import say, say_of
from viz.pictures.theme import LIGHT, Palette

_MARGIN = {"l": 64, "r": 316, "t": 16, "b": 48}
_LABEL = 17
"""Least distance of two names beside the ends of their lines, in pixels."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


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
    figure = go.Figure()
    point = say("training.depth_loss_point", step="%{x}", loss="%{y:.3f}")
    for line, look in zip(lines, _looks(lines, palette), strict=True):
        steps = [every * (place + 1) for place in range(len(line.values))]
        figure.add_trace(
            go.Scatter(
                x=steps,
                y=list(line.values),
                name=line.name,
                mode="lines",
                line=look,
                hovertemplate=f"{point}<extra>%{{fullData.name}}</extra>",
            )
        )
    figure.add_hline(y=unigram, line={"color": palette.soft, "width": 1, "dash": "dot"})
    _lay_out(figure, width, height, palette)
    figure.update_xaxes(title={"text": say("training.rate_step")})
    low = min([unigram, *(min(line.values) for line in lines)]) - 0.1
    high = max([unigram, *(max(line.values) for line in lines)]) + 0.1
    figure.update_yaxes(
        title={"text": say("training.nats_axis"), "standoff": 12}, range=[low, high]
    )
    names = [(line.values[-1], line.name, _colour(line, palette)) for line in lines]
    names.append((unigram, say("training.depth_unigram"), palette.soft))
    per_pixel = (high - low) / (height - _MARGIN["t"] - _MARGIN["b"])
    places = _apart([value for value, _, _ in names], _LABEL * per_pixel)
    for (_, name, colour), y in zip(names, places, strict=True):
        figure.add_annotation(
            x=1,
            xref="paper",
            xanchor="left",
            xshift=6,
            y=y,
            text=name,
            showarrow=False,
            font={"color": colour},
        )
    return figure


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
    figure = go.Figure()
    share = 1 / len(lines)
    for place, (stack, drawn) in enumerate(lines.items()):
        axis = "" if place == 0 else str(place + 1)
        point = say_of("training.depth_point", stack, layer="%{x}", norm="%{y:.3g}")
        for line, look in zip(drawn, _looks(drawn, palette), strict=True):
            figure.add_trace(
                go.Scatter(
                    x=list(range(len(line.values))),
                    y=list(line.values),
                    name=line.name,
                    xaxis=f"x{axis}",
                    mode="lines+markers",
                    line=look,
                    marker={"size": 5},
                    hovertemplate=f"{point}<extra>%{{fullData.name}}</extra>",
                )
            )
        figure.layout[f"xaxis{axis}"] = {
            "title": {"text": say_of("training.depth_layer", stack)},
            "domain": [place * share + (0.03 if place else 0), (place + 1) * share - 0.01],
            "dtick": 1 if max(len(line.values) for line in drawn) < 16 else None,
            "fixedrange": True,
            "showline": True,
        }
    _lay_out(figure, width, height, palette)
    norms = [norm for drawn in lines.values() for line in drawn for norm in line.values]
    powers = _powers(min(norms), max(norms))
    figure.update_yaxes(
        type="log",
        title={"text": say("training.depth_norm"), "standoff": 12},
        tickvals=[10.0**power for power in powers],
        ticktext=[f"10{str(power).translate(_RAISED)}" for power in powers],
    )
    figure.update_layout(margin={"r": 16})
    return figure


def _powers(least: float, most: float) -> list[int]:
    """Choose powers of ten around a range, at most nine."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    return [*range(first, last + 1, 1 + (last - first) // 8)]


def _looks(lines: Sequence[Line], palette: Palette) -> list[dict[str, object]]:
    """Draw pre-norm in one colour and post-norm in another, those of a colour in different dashes.

    The colours are the two that no role has.
    """
    counts = {False: 0, True: 0}
    looks: list[dict[str, object]] = []
    for line in lines:
        dash = _DASHES[counts[line.pre_norm] % len(_DASHES)]
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


def _lay_out(figure: go.Figure, width: int, height: int, palette: Palette) -> None:
    figure.update_xaxes(showline=True, fixedrange=True)
    figure.update_yaxes(showgrid=True, gridcolor=palette.grid, fixedrange=True)
    figure.update_layout(
        width=width, height=height, margin=_MARGIN, showlegend=False, dragmode=False
    )
