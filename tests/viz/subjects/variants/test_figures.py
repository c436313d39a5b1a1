import numpy as np

from viz.pictures.theme import DARK, LIGHT
from viz.subjects.variants.figures import curves

LINES = {"norm last": np.array([0.1, 0.2, 0.3]), "<s>": np.array([3.0, 2.0, 1.0])}


def test_each_line_is_drawn_under_its_name_on_a_logarithmic_scale():
    figure = curves(LINES)
    assert [trace.name for trace in figure.data] == ["norm last", "&lt;s&gt;"]
    for trace, y in zip(figure.data, LINES.values(), strict=True):
        np.testing.assert_array_equal(trace.x, [0, 1, 2])
        np.testing.assert_array_equal(trace.y, y)
    assert figure.layout.yaxis.type == "log"
    assert len({trace.line.dash for trace in figure.data}) == 2
    colours = [curves(LINES, palette=p).data[0].line.color for p in (LIGHT, DARK)]
    assert colours == [LIGHT.accent, DARK.accent]
