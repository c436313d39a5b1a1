import math

import numpy as np
import pytest

from viz.subjects.positions.distances import all_alike, coincidences, distances
from viz.subjects.positions.table import formula_table


def test_measures_every_two_positions():
    values = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    found = distances(values)
    np.testing.assert_array_equal(found.shifts, [1, 2])
    np.testing.assert_allclose(found.nearest, [math.sqrt(18), 1])
    np.testing.assert_allclose(found.farthest, [5, 1])
    np.testing.assert_array_equal(found.first, [1, 0])
    assert found.length == pytest.approx(2)


def test_with_one_frequency_44_apart_nearly_coincide_and_22_are_nearly_opposite():
    d_model = 64
    found = distances(formula_table("single_frequency", 128, d_model).values)
    # |PE(p) - PE(p + k)| is a chord of d_model / 2 equal circles: 2 |sin(k / 2)| each.
    expected = [2 * abs(math.sin(k / 2)) * math.sqrt(d_model / 2) for k in range(1, 128)]
    np.testing.assert_allclose(found.nearest, expected, atol=1e-9)
    np.testing.assert_allclose(found.farthest, expected, atol=1e-9)
    assert 44 / (2 * math.pi) == pytest.approx(7, abs=0.003)
    assert found.nearest[44 - 1] == pytest.approx(0.1001, abs=1e-4)
    assert found.nearest[44 - 1] < 0.02 * found.length
    assert found.nearest[22 - 1] > 1.999 * found.length
    # whole turns that end nearest to where they began, each nearer than all before it
    assert [c.shift for c in coincidences(found)] == [6, 19, 25, 44]
    assert coincidences(found)[-1].part == pytest.approx(2 * abs(math.sin(22)))


def test_without_positions_all_are_alike():
    found = distances(formula_table("none", 6, 4).values)
    assert all_alike(found)
    assert coincidences(found) == ()
    assert not all_alike(distances(formula_table("sinusoidal", 6, 4).values))
