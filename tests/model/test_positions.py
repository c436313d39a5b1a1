import math

import pytest
import torch
from torch.testing import assert_close

from model.config import Positions
from model.positions import double_sine, fixed_positions, single_frequency, sinusoidal

D_MODEL = 16
BY_HAND = [
    # kind, position, dimension, the write-up's formula at them
    ("sinusoidal", 0, 0, 0.0),
    ("sinusoidal", 0, 1, 1.0),
    ("sinusoidal", 1, 0, math.sin(1)),
    ("sinusoidal", 3, 4, math.sin(3 / 10000 ** (4 / 16))),
    ("sinusoidal", 3, 5, math.cos(3 / 10000 ** (4 / 16))),
    ("sinusoidal", 7, 14, math.sin(7 / 10000 ** (14 / 16))),
    ("sinusoidal", 7, 15, math.cos(7 / 10000 ** (14 / 16))),
    ("sinusoidal", 5000, 2, math.sin(5000 / 10000 ** (2 / 16))),
    ("double_sine", 0, 1, 0.0),
    ("double_sine", 1, 0, math.sin(1)),
    ("double_sine", 3, 4, math.sin(3 / 1000 ** (2 * 4 / 16))),
    ("double_sine", 3, 5, math.sin(3 / 1000 ** (2 * 5 / 16))),
    ("double_sine", 199, 15, math.sin(199 / 1000 ** (2 * 15 / 16))),
    ("single_frequency", 0, 1, 1.0),
    ("single_frequency", 3, 0, math.sin(3)),
    ("single_frequency", 3, 1, math.cos(3)),
    ("single_frequency", 3, 14, math.sin(3)),
    ("single_frequency", 7, 15, math.cos(7)),
    ("none", 3, 4, 0.0),
]


@pytest.mark.parametrize(("kind", "position", "dimension", "expected"), BY_HAND)
def test_formulas_by_hand(kind: Positions, position: int, dimension: int, expected: float):
    table = fixed_positions(kind, position + 1, D_MODEL)
    assert table.shape == (position + 1, D_MODEL)
    assert table[position, dimension].item() == pytest.approx(expected, abs=1e-7)


def test_each_kind_has_its_formula():
    for kind, formula in (
        ("sinusoidal", sinusoidal),
        ("double_sine", double_sine),
        ("single_frequency", single_frequency),
    ):
        assert torch.equal(fixed_positions(kind, 5, D_MODEL), formula(5, D_MODEL))


@pytest.mark.parametrize("shift", [1, 7, 40])
def test_a_shift_of_the_sinusoids_is_a_rotation_of_each_pair(shift: int):
    """Section 3.5: PE(pos + k) is a linear function of PE(pos), whatever pos is."""
    table = sinusoidal(100, D_MODEL)
    for pair in range(D_MODEL // 2):
        angle = shift / 10000 ** (2 * pair / D_MODEL)
        rotation = torch.tensor(
            [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
        )
        sine_and_cosine = table[:, 2 * pair : 2 * pair + 2]
        rotated = sine_and_cosine[:-shift] @ rotation.T
        assert_close(sine_and_cosine[shift:], rotated, rtol=0, atol=1e-6)


def test_sinusoids_have_one_length_and_sines_alone_do_not():
    assert_close(sinusoidal(50, D_MODEL).norm(dim=1), torch.full((50,), math.sqrt(D_MODEL / 2)))
    assert double_sine(50, D_MODEL).norm(dim=1).std() > 0.1


def test_one_frequency_says_one_thing_in_every_pair():
    pairs = single_frequency(50, D_MODEL).unflatten(1, (-1, 2))
    assert torch.equal(pairs, pairs[:, :1].expand_as(pairs))
