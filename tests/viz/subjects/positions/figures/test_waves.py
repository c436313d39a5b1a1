import numpy as np

from viz.subjects.positions.figures.waves import wave_strips

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
