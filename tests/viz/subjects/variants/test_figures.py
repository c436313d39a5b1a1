import numpy as np

from viz.pictures.theme import DARK, LIGHT
from viz.subjects.variants.figures import curves
from viz.subjects.variants.report import Lines

X = np.array([1.0, 2.0, 4.0])
LINES = {"paper": np.array([0.1, 0.2, 0.3]), "<s>": np.array([3.0, 2.0, np.nan])}


def draw(lines, *, x_title="", y_title="", palette=LIGHT):
    return curves(Lines("a title", x_title, y_title, X, lines), palette=palette)


def test_each_line_is_drawn_under_its_name():
    figure = draw(LINES, x_title="places <apart>", y_title="loss")
    assert [trace.name for trace in figure.data] == ["paper", "&lt;s&gt;"]
    for trace, y in zip(figure.data, LINES.values(), strict=True):
        np.testing.assert_array_equal(trace.x, X)
        np.testing.assert_array_equal(trace.y, y)
    assert figure.layout.xaxis.title.text == "places &lt;apart&gt;"
    assert figure.layout.yaxis.title.text == "loss"


def test_lines_differ_by_colour_and_by_dash():
    lines = {str(i): X for i in range(6)}
    styles = [(t.line.color, t.line.dash) for t in draw(lines).data]
    assert len({colour for colour, _ in styles}) == len({dash for _, dash in styles}) == 6


def test_the_scale_is_logarithmic():
    assert draw(LINES).layout.yaxis.type == "log"


def test_colours_are_those_of_the_palette():
    colours = [draw(LINES, palette=p).data[0].line.color for p in (LIGHT, DARK)]
    assert colours == [LIGHT.accent, DARK.accent]
