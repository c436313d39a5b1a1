import numpy as np

from viz.pictures.theme import LIGHT
from viz.subjects.embeddings.figures.bars import neighbour_bars, variance_bars
from viz.subjects.embeddings.figures.norms import norm_map


def test_bars_are_as_long_as_the_cosines_the_nearest_on_top():
    figure = neighbour_bars(
        ["dog", "<i>"], [0.9, -0.25], colours=["#111111", "#222222"], groups=["noun", "verb"]
    )
    bars, numbers = figure.data
    assert (bars.x, bars.y) == ((0.9, -0.25), (0, 1))
    assert bars.marker.color == ("#111111", "#222222")
    assert numbers.text == ("0.900", "−0.250")
    assert 0.9 < numbers.x[0] < 0.92
    assert 0 < numbers.x[1] < 0.02
    assert figure.layout.yaxis.ticktext == ("dog", "&lt;i&gt;")
    assert figure.layout.yaxis.range == (1.5, -0.5)
    assert figure.layout.xaxis.range[0] < -0.25


def test_the_components_shown_stand_out():
    explained = np.array([0.5, 0.25, 0.125, 0.125])
    [bars] = variance_bars(explained, shown=2).data
    np.testing.assert_array_equal(bars.y, explained)
    assert bars.hovertext[2] == ("component 3<br>12.5% of the variance<br>87.5% with those before")
    assert bars.marker.color == (LIGHT.accent, LIGHT.accent, LIGHT.hatch, LIGHT.hatch)


def test_norms_have_a_row_for_each_step_and_a_scale_from_0():
    norms = np.array([[1.0, 2.0, 1.0], [4.0, 8.0, 4.0]])
    figure = norm_map(norms, steps=("embedding", "layer 0"), tokens=("the", "<cat>", "the"))
    heat, numbers = figure.data
    np.testing.assert_array_equal(heat.z, norms)
    assert figure.layout.xaxis.ticktext == ("the", "&lt;cat&gt;", "the")
    assert figure.layout.yaxis.ticktext == ("embedding", "layer 0")
    assert figure.layout.yaxis.range == (1.5, -0.5)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 8)
    assert heat.text[1][1] == "<b>&lt;cat&gt;</b><br>layer 0<br>norm 8.000"
    assert numbers.text == ("1.0", "2.0", "1.0", "4.0", "8.0", "4.0")
    assert numbers.textfont.color[4] == LIGHT.panel
