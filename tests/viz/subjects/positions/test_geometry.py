import math

import numpy as np
import pytest

from viz.subjects.positions.geometry import formula_angle, gram, products_by_offset, rotation, turn
from viz.subjects.positions.table import formula_table


def test_gram_matrix_is_of_dot_products():
    values = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    np.testing.assert_array_equal(gram(values), [[5, 11, 2], [11, 25, 4], [2, 4, 1]])


def test_products_of_the_paper_are_sums_of_cosines():
    products = gram(formula_table("sinusoidal", 12, 8).values)
    rates = [10000 ** (-2 * i / 8) for i in range(4)]
    for k in range(12):
        expected = sum(math.cos(k * rate) for rate in rates)
        assert products_by_offset(products).mean[k] == pytest.approx(expected, abs=1e-12)


def test_gathers_products_by_offset():
    found = products_by_offset(np.array([[1.0, 5.0, 7.0], [5.0, 2.0, 9.0], [7.0, 9.0, 6.0]]))
    np.testing.assert_array_equal(found.lowest, [1, 5, 7])
    np.testing.assert_array_equal(found.mean, [3, 7, 7])
    np.testing.assert_array_equal(found.highest, [6, 9, 7])
    assert found.spread == 5


def test_a_rotation_adds_to_the_angle_of_sine_and_cosine():
    turned = rotation(0.4) @ [math.sin(1.1), math.cos(1.1)]
    np.testing.assert_allclose(turned, [math.sin(1.5), math.cos(1.5)], atol=1e-15)


@pytest.mark.parametrize("shift", [1, 3, 17])
@pytest.mark.parametrize("pair", [0, 2, 7])
def test_a_shift_of_the_papers_encoding_is_one_rotation(pair, shift):
    values = formula_table("sinusoidal", 40, 16).values
    angle = shift * 10000 ** (-2 * pair / 16)
    matrix = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    for pos in range(40 - shift):
        expected = matrix @ values[pos, 2 * pair : 2 * pair + 2]
        np.testing.assert_allclose(
            values[pos + shift, 2 * pair : 2 * pair + 2], expected, atol=1e-12
        )
    found = turn(values, pair, shift)
    assert found.is_rotation
    assert math.remainder(found.angle - angle, 2 * math.pi) == pytest.approx(0, abs=1e-9)
    assert formula_angle(formula_table("sinusoidal", 40, 16), pair, shift) == pytest.approx(angle)


def test_a_shift_of_two_sines_is_no_rotation():
    table = formula_table("double_sine", 20, 16)
    found = turn(table.values, 0, 3)
    assert not found.is_rotation
    assert found.error > 0.1
    assert formula_angle(table, 0, 3) is None


def test_nothing_turns_where_all_is_zero():
    found = turn(formula_table("none", 5, 4).values, 1, 2)
    assert found.is_empty
