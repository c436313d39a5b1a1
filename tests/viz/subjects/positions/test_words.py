import math
import re

import numpy as np
import pytest

from viz.subjects.positions import latex
from viz.subjects.positions.table import formula_table
from viz.subjects.positions.words.sentences import describe


@pytest.mark.parametrize("kind", ["sinusoidal", "double_sine", "single_frequency", "none"])
@pytest.mark.parametrize("dimension", [0, 1, 6, 7])
def test_the_worked_number_is_the_one_in_the_table(kind, dimension):
    table = formula_table(kind, 12, 8)
    shown = latex.worked(table, 7, dimension)
    last = float(re.findall(r"-?\d+\.\d+", shown)[-1])
    assert last == pytest.approx(table.values[7, dimension], abs=5e-7)


def test_the_worked_formula_has_position_dimension_and_base_put_in():
    shown = latex.worked(formula_table("sinusoidal", 12, 64), 7, 13)
    assert r"\frac{7}{10000^{12/64}}" in shown
    angle = 7 / 10000 ** (12 / 64)
    assert rf"\cos({angle:.6f})" in shown
    assert f"{math.cos(angle):.6f}" in shown
    assert r"\frac{7}{1000^{2 \cdot 13/64}}" in latex.worked(
        formula_table("double_sine", 12, 64), 7, 13
    )
    assert r"10000^{\lfloor 13/64 \rfloor}" in latex.worked(
        formula_table("single_frequency", 12, 64), 7, 13
    )


@pytest.mark.parametrize("d_model", [16, 64, 128])
def test_two_sines_grow_as_much_faster_as_their_wavelengths_do(d_model):
    dimension = np.arange(0, d_model, 2)
    paper = np.log(2 * np.pi * 10000.0 ** (dimension / d_model))
    twice = np.log(2 * np.pi * 1000.0 ** (2 * dimension / d_model))
    faster = np.polyfit(dimension, twice, 1)[0] / np.polyfit(dimension, paper, 1)[0]
    said = describe(formula_table("double_sine", 4, d_model))
    assert f"grows {faster:.1f} times as fast as in the paper’s formula" in said
    assert "twice" not in said
