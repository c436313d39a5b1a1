import numpy as np
import pytest

from viz.subjects.training.figures.depth import Line, depth_losses, layer_gradients

LINES = [
    Line("post, deep", False, [2.5, 2.4]),
    Line("post, deeper", False, [2.5, 2.41]),
    Line("pre, deep", True, [2.5, 0.9]),
]


def test_losses_are_lines_by_step():
    figure = depth_losses(LINES, every=10, unigram=2.45, width=800, height=400)
    assert [line.name for line in figure.data] == [line.name for line in LINES]
    assert list(figure.data[2].x) == [10, 20]
    assert list(figure.data[2].y) == [2.5, 0.9]
    assert figure.layout.shapes[0].y0 == 2.45


def test_names_beside_the_lines_do_not_overlap():
    figure = depth_losses(LINES, every=10, unigram=2.45, width=800, height=400)
    names = {note.text: note.y for note in figure.layout.annotations}
    assert names.keys() == {*(line.name for line in LINES), "frequencies alone"}
    low, high = figure.layout.yaxis.range
    margin = figure.layout.margin
    pixel = (high - low) / (400 - margin.t - margin.b)
    assert np.diff(sorted(names.values())).min() >= 16 * pixel
    assert names["pre, deep"] == pytest.approx(0.9)
    assert names["post, deep"] < names["post, deeper"] < names["frequencies alone"]


def test_gradients_stand_by_layer_on_a_logarithmic_axis_for_each_stack():
    stacks = {
        "encoder": [Line("a", False, [1.0, 2.0])],
        "decoder": [Line("a", False, [3e-4, 0.5])],
    }
    figure = layer_gradients(stacks, width=800, height=400)
    encoder, decoder = figure.data
    assert list(encoder.y) == [1.0, 2.0]
    assert list(decoder.x) == [0, 1]
    assert (encoder.xaxis, decoder.xaxis) == ("x", "x2")
    assert figure.layout.xaxis.title.text == "encoder layer"
    assert figure.layout.xaxis2.title.text == "decoder layer"
    assert figure.layout.xaxis.domain[1] <= figure.layout.xaxis2.domain[0]
    assert figure.layout.yaxis.type == "log"
    ticks = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert ticks[1e-4] == "10⁻⁴"
    assert ticks[1.0] == "10⁰"
