import numpy as np

from viz.pictures.theme import DARK, LIGHT
from viz.subjects.variants.figures import curves
from viz.subjects.variants.report import Lines

X = np.array([1.0, 2.0, 4.0])
LINES = {"paper": np.array([0.1, 0.2, 0.3]), "<s>": np.array([3.0, 2.0, np.nan])}


def draw(lines, palette=LIGHT):
    return curves(Lines("a title", "places <apart>", "loss", X, lines), palette=palette)


def test_each_line_is_drawn_under_its_name_on_a_logarithmic_scale():
    figure = draw(LINES)
    assert [trace.name for trace in figure.data] == ["paper", "&lt;s&gt;"]
    for trace, y in zip(figure.data, LINES.values(), strict=True):
        np.testing.assert_array_equal(trace.x, X)
        np.testing.assert_array_equal(trace.y, y)
    assert figure.layout.xaxis.title.text == "places &lt;apart&gt;"
    assert (figure.layout.yaxis.title.text, figure.layout.yaxis.type) == ("loss", "log")


def test_lines_differ_by_dash_and_by_a_colour_of_the_palette():
    styles = [(t.line.color, t.line.dash) for t in draw({str(i): X for i in range(6)}).data]
    assert len({colour for colour, _ in styles}) == len({dash for _, dash in styles}) == 6
    colours = [draw(LINES, palette=p).data[0].line.color for p in (LIGHT, DARK)]
    assert colours == [LIGHT.accent, DARK.accent]
