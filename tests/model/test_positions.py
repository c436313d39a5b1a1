"""The tables of positions agree with the formulas of the paper and its write-ups."""

import math

import pytest
import torch

from model.config import Positions
from model.positions import fixed_positions

D_MODEL = 16


def formula(kind: Positions, position: int, dimension: int) -> float:
    wave = math.cos if dimension % 2 else math.sin
    return {
        "sinusoidal": wave(position / 10000 ** (dimension // 2 * 2 / D_MODEL)),
        "double_sine": math.sin(position / 1000 ** (2 * dimension / D_MODEL)),
        "single_frequency": wave(position),
        "none": 0.0,
    }[kind]


@pytest.mark.parametrize("kind", ["sinusoidal", "double_sine", "single_frequency", "none"])
def test_each_kind_is_its_formula(kind: Positions):
    table = fixed_positions(kind, 5001, D_MODEL)
    for position in (0, 1, 2, 3, 7, 199, 5000):
        row = torch.tensor([formula(kind, position, n) for n in range(D_MODEL)])
        torch.testing.assert_close(table[position], row, rtol=0, atol=1e-6)
