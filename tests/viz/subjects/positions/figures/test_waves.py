import numpy as np
import pytest

from viz.subjects.positions.figures.waves import wave_strips, wavelength_dots

VALUES = np.array([[0.0, 1.0, 0.5], [-2.0, 0.0, 0.25]])


def test_each_wave_has_its_strip_and_its_own_numbers_on_hover():
    places = np.linspace(0, 1, 5)
    curve = (places, np.stack([places, -places], axis=1))
    figure = wave_strips(VALUES[:, [0, 2]], dimensions=[4, 9], wave=curve, picked=1)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    dots = [trace for trace in figure.data if trace.mode == "markers"]
    assert [trace.name for trace in dots] == ["dimension 4", "dimension 9"]
    np.testing.assert_array_equal(dots[0].customdata, [0, -2])
    np.testing.assert_array_equal(dots[1].customdata, [0.5, 0.25])
    np.testing.assert_allclose(dots[1].y - dots[1].y[0], [0, -0.125])  # in parts of the largest
    assert len(lines) == 2
    assert figure.layout.yaxis.ticktext == ("4", "9")


def test_wavelengths_stand_on_a_logarithmic_axis_with_the_text_across():
    lengths = np.array([6.28, 6.28, 628.0, 62832.0])
    figure = wavelength_dots(lengths, length=14, picked=2)
    np.testing.assert_array_equal(figure.data[0].y, lengths)
    assert figure.layout.yaxis.type == "log"
    words = {a.text: a.y for a in figure.layout.annotations}
    assert words["shortest 6.280"] == pytest.approx(np.log10(6.28))
    assert words["longest 62,832"] == pytest.approx(np.log10(62832))
    assert words["the text: 14 positions"] == pytest.approx(np.log10(14))
    assert figure.layout.shapes[0].y0 == 14
    low, high = figure.layout.yaxis.range
    assert low < np.log10(6.28)
    assert high > np.log10(62832)
