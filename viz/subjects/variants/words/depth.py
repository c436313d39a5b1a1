"""What is said of norms before and after the sublayer."""

from functools import reduce

import numpy as np
from jaxtyping import Float

from texts import listed, say, say_of
from viz.pictures.numbers import number_text
from viz.subjects.variants.depth import Depth
from viz.subjects.variants.report import Lines, Report, Table

_UNEVEN = 10.0
"""Times by which the largest gradient of a stack exceeds the smallest, to be called uneven."""


def report_depth(found: Depth) -> Report:
    """Describe how the streams grow, and how even the gradients are."""
    said = (_say_whole(found), _say_layers(found), _say_gradients(found))
    size = len(next(iter(found.gradients.values())))
    lines = Lines(
        title=say("variants.gradient_lines"),
        x_title=say("variants.gradient_x"),
        y_title=say("variants.gradient_y"),
        x=np.arange(float(size)),
        lines={say_of("variants.placement", name): g for name, g in found.gradients.items()},
    )
    return Report(" ".join(filter(None, said)), (_streams(found),), (lines,))


def _say_whole(found: Depth) -> str:
    """Compare what leaves the last layer with what enters the first."""
    grown = {name: float(stream[-1] / stream[0]) for name, stream in found.streams.items()}
    ratios = listed(
        [
            say(
                "variants.stream_ratio",
                name=name,
                placement=_placement(found, name),
                ratio=number_text(ratio),
            )
            for name, ratio in grown.items()
        ]
    )
    pre = [r for name, r in grown.items() if found.placements[name] == "pre"]
    post = [r for name, r in grown.items() if found.placements[name] == "post"]
    only_pre = pre and post and min(pre) > 1 >= max(post)
    return say("variants.only_pre" if only_pre else "variants.changes_length", ratios=ratios)


def _say_layers(found: Depth) -> str:
    """Describe in which models the stream grows from each layer's output to the next one's."""
    outputs = {name: stream[1:] for name, stream in found.streams.items()}
    if any(len(stream) < 2 for stream in outputs.values()):
        return ""
    growing = [name for name, stream in outputs.items() if (np.diff(stream) > 0).all()]
    if len(growing) == len(outputs):
        return say("variants.grows_in_all")
    if not growing:
        return say("variants.grows_in_none")
    return say("variants.grows_in", names=listed(growing))


def _say_gradients(found: Depth) -> str:
    parts = [
        say(
            "variants.gradient_uneven" if _spread(g) >= _UNEVEN else "variants.gradient_even",
            placement=say_of("variants.placement", name),
            ratio=number_text(float(g[-1] / g[0])),
        )
        for name, g in found.gradients.items()
    ]
    layers = len(next(iter(found.gradients.values())))
    both = reduce(lambda a, b: say("variants.gradient_then", first=a, last=b), parts)
    return say("variants.gradients", count=layers, parts=both)


def _streams(found: Depth) -> Table:
    layers = range(len(next(iter(found.streams.values()))) - 1)
    header = (
        "",
        say("variants.streams_norm"),
        say("variants.streams_into"),
        *(say("variants.streams_out", layer=layer) for layer in layers),
    )
    rows = tuple(
        (name, _placement(found, name), *map(float, stream))
        for name, stream in found.streams.items()
    )
    return Table(say("variants.streams_table"), header, rows)


def _placement(found: Depth, variant: str) -> str:
    return say_of("variants.placement", found.placements[variant])


def _spread(gradients: Float[np.ndarray, " layer"]) -> float:
    return float(gradients.max() / gradients.min())
