import math

import numpy as np
import pytest

from viz.run.encodings import still_dimensions
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


@pytest.mark.parametrize("kind", ["sinusoidal", "double_sine"])
def test_of_the_others_no_two_positions_are_nearer_than_neighbours(kind):
    assert coincidences(distances(formula_table(kind, 128, 64).values)) == ()


def test_without_positions_all_are_alike():
    found = distances(formula_table("none", 6, 4).values)
    assert all_alike(found)
    assert coincidences(found) == ()
    assert not all_alike(distances(formula_table("sinusoidal", 6, 4).values))


def test_one_position_has_no_distance():
    with pytest.raises(ValueError, match="at least 2 positions, got 1"):
        distances(np.ones((1, 4)))


def test_counts_the_dimensions_that_hardly_move_over_50_positions():
    def still(wave, d_model):
        moved = []
        for j in range(d_model):
            values = [wave(pos, j) for pos in range(50)]
            moved.append(max(values) - min(values))
        return [j for j, most in enumerate(moved) if most < 0.1]

    d = 64
    twice = still(lambda pos, j: math.sin(pos / 1000 ** (2 * j / d)), d)
    once = still(
        lambda pos, j: (math.cos if j % 2 else math.sin)(pos / 10000 ** ((j - j % 2) / d)), d
    )
    assert still_dimensions(formula_table("double_sine", 50, d).values).tolist() == twice
    assert still_dimensions(formula_table("sinusoidal", 50, d).values).tolist() == once
    assert (len(twice), len(once)) == (35, 25)
    assert twice == [*range(29, 64)]
