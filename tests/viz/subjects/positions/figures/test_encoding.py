import numpy as np
import pytest

from viz.pictures.theme import DARK, LIGHT
from viz.subjects.positions.figures.encoding import encoding_map

VALUES = np.array([[0.0, 1.0, 0.5], [-2.0, 0.0, 0.25]])


def test_rows_are_positions_and_columns_dimensions():
    figure = encoding_map(VALUES, picked=(1, 0))
    np.testing.assert_array_equal(figure.data[0].z, VALUES.astype(np.float32))
    assert figure.layout.xaxis.title.text == "dimension"
    assert figure.layout.yaxis.title.text == "position"
    assert "position %{y}" in figure.data[0].hovertemplate
    assert figure.layout.yaxis.range == (1.5, -0.5)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_colours_are_centred_on_0(palette):
    axis = encoding_map(VALUES, picked=(0, 0), palette=palette).layout.coloraxis
    assert (axis.cmin, axis.cmax) == (-2, 2)
    assert tuple(colour for _, colour in axis.colorscale) == palette.diverging


def test_the_picked_number_is_framed():
    shape = encoding_map(VALUES, picked=(1, 2)).layout.shapes[-1]
    assert (shape.x0, shape.x1, shape.y0, shape.y1) == (1.5, 2.5, 0.5, 1.5)
    assert shape.line.color == LIGHT.accent
