import numpy as np
import pytest

from viz.pictures.theme import DARK, LIGHT
from viz.subjects.positions.figures.encoding import HIGH, MOST_WORDS, encoding_map, word_places
from viz.subjects.positions.figures.kinds import angle_map

VALUES = np.array([[0.0, 1.0, 0.5], [-2.0, 0.0, 0.25]])


def test_rows_are_positions_and_columns_dimensions():
    figure = encoding_map(VALUES)
    np.testing.assert_array_equal(figure.data[0].z, VALUES.astype(np.float32))
    assert figure.layout.annotations[0].text == "dimension"
    assert figure.layout.yaxis.title.text == "position"
    assert "position %{y}" in figure.data[0].hovertemplate
    assert figure.layout.yaxis.range == (1.5, -0.5)
    assert not figure.layout.shapes


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_colours_are_centred_on_0(palette):
    axis = encoding_map(VALUES, palette=palette).layout.coloraxis
    assert (axis.cmin, axis.cmax) == (-2, 2)
    assert tuple(colour for _, colour in axis.colorscale) == palette.diverging
    assert axis.colorbar.ticktext == ("−2.000", "0", "2.000")


def test_the_bar_of_numbers_up_to_1_says_1():
    assert encoding_map(VALUES / 2).layout.coloraxis.colorbar.ticktext == ("−1", "0", "1")


def test_the_picked_number_is_framed():
    shape = encoding_map(VALUES, picked=(1, 2)).layout.shapes[-1]
    assert (shape.x0, shape.x1, shape.y0, shape.y1) == (1.5, 2.5, 0.5, 1.5)
    assert shape.line.color == LIGHT.accent


def test_words_are_literal_shortened_and_joined_to_their_rows():
    figure = encoding_map(np.zeros((9, 4)), words=["<s>", "extraordinarily"], most_words=9)
    _, first, second = figure.layout.annotations
    assert (first.text, first.y) == ("&lt;s&gt;", 0)
    assert (second.text, second.y) == ("extraordin…", 1)


@pytest.mark.parametrize("count", [0, 1, 2, 14, 20, 21, 64])
@pytest.mark.parametrize("length", [64, 100, 512])
def test_names_have_room_above_each_other_within_the_map(count, length):
    places = word_places(count, length, MOST_WORDS)
    row = HIGH / length
    heights = np.array([place for _, place in places]) * row
    assert (np.diff(heights) >= HIGH / MOST_WORDS - 1e-9).all()
    assert HIGH / MOST_WORDS >= 13
    assert len(places) == min(count, len(places))
    assert len(places) >= min(count, MOST_WORDS // 2)
    if count:
        assert heights[-1] <= HIGH
        assert places[0][0] == 0
    assert all(place >= word for word, place in places)


def test_a_map_of_angles_has_their_cosines_and_the_words_too():
    angles = np.array([[0.0, 0.0], [1.0, 0.1]])
    figure = angle_map(angles, words=["the"])
    np.testing.assert_allclose(figure.data[0].z, np.cos(angles), atol=2**-24)
    assert figure.layout.annotations[0].text == "pair"
    assert figure.layout.annotations[1].text == "the"
