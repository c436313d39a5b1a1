import math

import numpy as np
import pytest
import torch

from model import positions
from viz.subjects.positions.table import formula_table, waves


def paper(pos, dimension, d, base=10000.0):
    angle = pos / base ** (2 * (dimension // 2) / d)
    return math.cos(angle) if dimension % 2 else math.sin(angle)


def double_sine(pos, dimension, d):  # the two lines of the write-up's loop
    i = dimension - dimension % 2
    exponent = (2 * i) / d if dimension == i else (2 * (i + 1)) / d
    return math.sin(pos / (1000**exponent))


def single_frequency(pos, dimension, d):
    phase = pos / (1e4 ** (dimension // d))
    return math.sin(phase) if dimension % 2 == 0 else math.cos(phase)


FORMULAS = {"sinusoidal": paper, "double_sine": double_sine, "single_frequency": single_frequency}


@pytest.mark.parametrize("kind", FORMULAS)
@pytest.mark.parametrize("d_model", [2, 6, 64])
def test_equals_the_formula_written_as_a_loop(kind, d_model):
    table = formula_table(kind, 40, d_model)
    expected = [[FORMULAS[kind](pos, j, d_model) for j in range(d_model)] for pos in range(40)]
    np.testing.assert_allclose(table.values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [*FORMULAS, "none"])
def test_is_what_the_model_adds(kind):
    added = positions.fixed_positions(kind, 20, 16)
    table = torch.tensor(formula_table(kind, 20, 16).values).float()
    torch.testing.assert_close(table, added, rtol=0, atol=1e-7)


@pytest.mark.parametrize("kind", FORMULAS)
def test_a_wave_comes_round_after_its_wavelength(kind):
    table = formula_table(kind, 4, 8)
    for j, wavelength in enumerate(table.wavelengths):
        here, there = waves(kind, np.array([0.3, 0.3 + wavelength]), 8, table.base)[:, j]
        assert here == pytest.approx(there, abs=1e-9)
        halfway = waves(kind, np.array([0.3 + wavelength / 2]), 8, table.base)[0, j]
        assert halfway == pytest.approx(-here, abs=1e-9)
