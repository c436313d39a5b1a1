import math

import numpy as np
import pytest

from viz.subjects.positions.geometry import formula_angle, rotation, turn
from viz.subjects.positions.table import formula_table


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
