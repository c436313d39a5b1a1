"""What is said of norms before and after the sublayer."""

import numpy as np
from jaxtyping import Float

from viz.pictures.numbers import number_text
from viz.subjects.variants.depth import Depth
from viz.subjects.variants.report import Lines, Report, Table
from viz.subjects.variants.words.spans import listed

_UNEVEN = 10.0
"""Times by which the largest gradient of a stack exceeds the smallest, to be called uneven."""


def report_depth(found: Depth) -> Report:
    """Say how the streams grow, and how even the gradients are."""
    verdict = f"{_say_whole(found)} {_say_layers(found)}{_say_gradients(found)}"
    size = len(next(iter(found.gradients.values())))
    lines = Lines(
        title="Gradient of each decoder layer of a new, deep model",
        x_title="decoder layer",
        y_title="length of the gradient",
        x=np.arange(float(size)),
        lines={f"{name}-norm": g for name, g in found.gradients.items()},
        log_y=True,
    )
    return Report(verdict, (_streams(found),), (lines,))


def _say_whole(found: Depth) -> str:
    """Compare what leaves the last layer with what enters the first."""
    grown = {name: float(stream[-1] / stream[0]) for name, stream in found.streams.items()}
    parts = [
        f"{name} ({found.placements[name]}-norm) × {number_text(ratio)}"
        for name, ratio in grown.items()
    ]
    pre = [r for name, r in grown.items() if found.placements[name] == "pre"]
    post = [r for name, r in grown.items() if found.placements[name] == "post"]
    if pre and post and min(pre) > 1 >= max(post):
        said = "Only with pre-norm does the stream leave the decoder longer than it entered"
    else:
        said = "From where it enters the decoder to where it leaves it, the stream's length changes"
    return f"{said}: {', '.join(parts)}."


def _say_layers(found: Depth) -> str:
    """Say in which models the stream grows from each layer's output to the next one's."""
    outputs = {name: stream[1:] for name, stream in found.streams.items()}
    if any(len(stream) < 2 for stream in outputs.values()):
        return ""
    growing = [name for name, stream in outputs.items() if (np.diff(stream) > 0).all()]
    if len(growing) == len(outputs):
        who = "all of them"
    else:
        who = listed(growing) if growing else "none of them"
    return f"From the output of the first layer to that of the last it grows in {who}. "


def _say_gradients(found: Depth) -> str:
    words = [
        f"with {name}-norm the last layer's is {number_text(float(g[-1] / g[0]))} times the first's"
        f"{', uneven' if _spread(g) >= _UNEVEN else ''}"
        for name, g in found.gradients.items()
    ]
    layers = len(next(iter(found.gradients.values())))
    return f"Gradients of a new decoder of {layers} layers: {'; '.join(words)}."


def _streams(found: Depth) -> Table:
    layers = len(next(iter(found.streams.values()))) - 1
    header = ("", "norm", "into layer 0", *(f"out of layer {i}" for i in range(layers)))
    rows = tuple(
        (name, f"{found.placements[name]}-norm", *map(float, stream))
        for name, stream in found.streams.items()
    )
    return Table("Mean length of the decoder's residual stream", header, rows)


def _spread(gradients: Float[np.ndarray, " layer"]) -> float:
    return float(gradients.max() / gradients.min())
