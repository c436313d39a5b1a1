import numpy as np
import pytest

from viz.pictures.theme import DARK, LIGHT
from viz.subjects.positions.figures.encoding import encoding_map, wave_strips, wavelength_dots

VALUES = np.array([[0.0, 1.0, 0.5], [-2.0, 0.0, 0.25]])


def test_rows_are_positions_and_columns_dimensions():
    figure = encoding_map(VALUES, picked=(1, 0))
    np.testing.assert_array_equal(figure.data[0].z, VALUES.astype(np.float32))
    assert figure.layout.xaxis.title.text == "dimension of the model"
    assert figure.layout.yaxis.title.text == "position in the text"
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


@pytest.mark.parametrize(("length", "d_model"), [(2, 2), (14, 64), (512, 512), (512, 2)])
def test_any_size_fits_a_page(length, d_model):
    figure = encoding_map(np.zeros((length, d_model)), picked=(0, 0))
    assert figure.layout.width < 560
    assert 100 < figure.layout.height < 640
    assert len(figure.layout.yaxis.tickvals) <= max(2, length)


def test_each_wave_has_its_strip_and_its_own_numbers_on_hover():
    places = np.linspace(0, 1, 5)
    curve = (places, np.stack([places, -places], axis=1))
    figure = wave_strips(VALUES[:, [0, 2]], dimensions=[4, 9], curve=curve, picked=1)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    dots = [trace for trace in figure.data if trace.mode == "markers"]
    assert [trace.name for trace in dots] == ["dimension 4", "dimension 9"]
    np.testing.assert_array_equal(dots[0].customdata, [0, -2])
    np.testing.assert_array_equal(dots[1].customdata, [0.5, 0.25])
    np.testing.assert_allclose(dots[1].y - dots[1].y[0], [0, -0.125])  # in parts of the largest
    assert len(lines) == 2
    assert figure.layout.yaxis.ticktext == ("4", "9")


def test_without_a_formula_the_dots_are_joined():
    figure = wave_strips(VALUES[:, :1], dimensions=[0], curve=None, picked=0)
    assert [trace.mode for trace in figure.data] == ["lines+markers"]


def test_at_most_6_waves_are_drawn():
    with pytest.raises(ValueError, match="1 to 6 dimensions are drawn, got 7"):
        wave_strips(np.zeros((2, 7)), dimensions=range(7), curve=None, picked=0)


def test_wavelengths_stand_on_a_logarithmic_axis_with_the_text_across():
    lengths = np.array([6.28, 6.28, 628.0, 62832.0])
    figure = wavelength_dots(lengths, length=14, picked=2)
    np.testing.assert_array_equal(figure.data[0].y, lengths)
    assert figure.layout.yaxis.type == "log"
    words = {a.text: a.y for a in figure.layout.annotations}
    assert words["shortest 6.28"] == pytest.approx(np.log10(6.28))
    assert words["longest 62,832"] == pytest.approx(np.log10(62832))
    assert words["the text: 14 positions"] == pytest.approx(np.log10(14))
    assert figure.layout.shapes[0].y0 == 14
    low, high = figure.layout.yaxis.range
    assert low < np.log10(6.28)
    assert high > np.log10(62832)


def test_equal_wavelengths_are_named_once():
    figure = wavelength_dots(np.full(8, 6.2832), length=14, picked=0)
    assert [a.text for a in figure.layout.annotations] == ["the text: 14 positions", "all 6.28"]
