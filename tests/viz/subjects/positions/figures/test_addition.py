import numpy as np

from viz.subjects.positions.figures.addition import addition_maps

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
