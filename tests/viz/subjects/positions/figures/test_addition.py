import numpy as np
import pytest

from viz.subjects.positions.figures.addition import addition_maps, length_dots

PARTS = {"embedding": np.array([[0.1, -0.2]] * 3), "their sum": np.array([[1.0, -4.0]] * 3)}
TOKENS = ("the", "<s>", "the")


def test_all_parts_share_one_scale_of_colours_centred_on_0():
    figure = addition_maps(PARTS, tokens=TOKENS)
    assert [heatmap.coloraxis for heatmap in figure.data] == ["coloraxis", "coloraxis"]
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-4, 4)
    np.testing.assert_allclose(figure.data[0].z, PARTS["embedding"], rtol=1e-6)
    assert [a.text for a in figure.layout.annotations] == ["embedding", "their sum"]


def test_tokens_are_shown_literally_and_repeated_ones_stay_apart():
    figure = addition_maps(PARTS, tokens=TOKENS)
    assert figure.layout.yaxis.ticktext == ("the", "&lt;s&gt;", "the")
    assert figure.layout.yaxis.tickvals == (0, 1, 2)
    assert figure.data[0].text[1][0] == "&lt;s&gt;"


@pytest.mark.parametrize("count", [1, 14, 400])
def test_many_tokens_keep_room_for_their_names(count):
    figure = addition_maps({"sum": np.ones((count, 4))}, tokens=["word"] * count)
    rows = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    assert rows / len(figure.layout.yaxis.ticktext) >= 13


def test_each_kind_of_vector_has_its_own_mark():
    lengths = {"embedding": np.array([1.0, 2.0, 1.0]), "encoding": np.array([5.0, 5.0, 5.0])}
    figure = length_dots(lengths, tokens=TOKENS)
    np.testing.assert_array_equal(figure.data[0].x, [1, 2, 1])
    np.testing.assert_array_equal(figure.data[0].y, [0, 1, 2])
    assert len({trace.marker.symbol for trace in figure.data}) == 2
    assert figure.layout.xaxis.title.text == "length of the vector"
