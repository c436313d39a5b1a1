import math
import re

import pytest

from viz.subjects.positions import latex
from viz.subjects.positions.distances import distances
from viz.subjects.positions.table import PositionTable, formula_table
from viz.subjects.positions.words import describe, say_coincidences, say_one_frequency, summarise


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
    assert "37^{12/64}" in latex.worked(formula_table("sinusoidal", 12, 64, base=37.0), 7, 13)


def test_a_learned_number_is_a_weight():
    table = PositionTable("learned", formula_table("sinusoidal", 4, 4).values)
    assert f"W_{{2,\\,1}} = {table.values[2, 1]:.6f}" in latex.worked(table, 2, 1)
    assert "W_{pos" in latex.general(table)


def test_a_pair_turned_is_the_shifted_pair():
    table = formula_table("sinusoidal", 12, 8)
    shown = latex.turned(table, 1, 4, 3, 3 * 10000 ** (-2 / 8))
    after = table.values[7, 2:4]
    assert shown.rstrip().endswith(
        rf"\begin{{pmatrix}} {after[0]:.4f} \\ {after[1]:.4f} \end{{pmatrix}}"
        "\n    \\end{aligned}"
    )


def test_says_what_the_formulas_do():
    assert "6.28 positions in dimension 0" in describe(formula_table("sinusoidal", 4, 64))
    twice = describe(formula_table("double_sine", 4, 64))
    assert "35 of 64 dimensions move by less than 0.1 over 50 positions" in twice
    assert "in the paper's formula 25" in twice
    assert "all 32 pairs" in describe(formula_table("single_frequency", 4, 64))
    assert "in any order alike" in describe(formula_table("none", 4, 64))
    learned = PositionTable("learned", formula_table("sinusoidal", 9, 4).values)
    assert "4 weights for each of 9 positions" in describe(learned)


def test_says_which_positions_coincide():
    one = distances(formula_table("single_frequency", 128, 64).values)
    assert "44 (1.8%)" in say_coincidences(one)
    assert "from 19 positions on" in say_coincidences(one)
    assert "positions 44 apart nearly coincide" in say_one_frequency(one)
    assert "positions 22 apart are nearly opposite" in say_one_frequency(one)
    paper = say_coincidences(distances(formula_table("sinusoidal", 128, 64).values))
    assert paper.startswith("No two of these 128 positions")
    none = say_coincidences(distances(formula_table("none", 9, 4).values))
    assert none.startswith("All positions are the same vector")


def test_sums_a_formula_up():
    paper, twice, one, none = (
        summarise(kind, 64) for kind in ("sinusoidal", "double_sine", "single_frequency", "none")
    )
    assert (paper.rotates, paper.by_offset, paper.idle, paper.nearest) == (True, True, 25, None)
    assert (twice.rotates, twice.by_offset, twice.idle) == (False, False, 35)
    assert (one.rotates, one.by_offset, one.nearest.shift) == (True, True, 44)
    assert one.longest_wave == pytest.approx(2 * math.pi)
    assert none.alike
    assert none.longest_wave is None
