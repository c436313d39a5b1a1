import math
import re

import numpy as np
import pytest

from viz.subjects.positions import latex
from viz.subjects.positions.distances import distances
from viz.subjects.positions.table import PositionTable, formula_table
from viz.subjects.positions.words.sentences import (
    answer,
    describe,
    say_coincidences,
    say_one_frequency,
    say_waves,
)


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
    assert "6.283 positions in dimension 0" in describe(formula_table("sinusoidal", 4, 64))
    twice = describe(formula_table("double_sine", 4, 64))
    assert "35 of 64 dimensions move by less than 0.1 over 50 positions" in twice
    assert "in the paper's formula 25" in twice
    assert "all 32 pairs" in describe(formula_table("single_frequency", 4, 64))
    assert "their order makes no difference" in describe(formula_table("none", 4, 64))
    learned = PositionTable("learned", formula_table("sinusoidal", 9, 4).values)
    assert "4 weights for each of 9 positions" in describe(learned)


def test_says_which_positions_coincide():
    one = distances(formula_table("single_frequency", 128, 64).values)
    assert "44 (1.8 %)" in say_coincidences(one)
    assert "from 19 positions on" in say_coincidences(one)
    assert "positions 44 apart nearly coincide" in say_one_frequency(one)
    assert "positions 22 apart are nearly opposite" in say_one_frequency(one)
    paper = say_coincidences(distances(formula_table("sinusoidal", 128, 64).values))
    assert paper.startswith("No two of these 128 positions")
    none = say_coincidences(distances(formula_table("none", 9, 4).values))
    assert none.startswith("All positions are the same vector")


@pytest.mark.parametrize("d_model", [16, 64, 128])
def test_two_sines_grow_as_much_faster_as_their_wavelengths_do(d_model):
    dimension = np.arange(0, d_model, 2)
    paper = np.log(2 * np.pi * 10000.0 ** (dimension / d_model))
    twice = np.log(2 * np.pi * 1000.0 ** (2 * dimension / d_model))
    faster = np.polyfit(dimension, twice, 1)[0] / np.polyfit(dimension, paper, 1)[0]
    said = describe(formula_table("double_sine", 4, d_model))
    assert f"grows {faster:.1f} times as fast as in the paper's formula" in said
    assert "twice" not in said


@pytest.mark.parametrize("length", [15, 16, 40])
def test_a_wave_comes_round_within_the_steps_of_a_text(length):
    exponents = (np.arange(64) - np.arange(64) % 2) / 64
    whole = int(sum(2 * np.pi * 10000.0**exponent <= length - 1 for exponent in exponents))
    said = say_waves(formula_table("sinusoidal", length, 64), 3, length)
    assert f"Right: {whole} of 64 dimensions come round at least once" in said
    assert f"{length} positions span {length - 1} steps" in said


def test_the_answer_says_what_becomes_of_the_sentence_without_positions():
    def end(text, *, same=False):
        said = answer(("zeroed", "both"), text, same=same, added=True)
        return said.partition("at each place. ")[2]

    assert end("la rue dort .") == "Without them it writes another sentence."
    assert end("") == "Without them it writes no word at all."
    assert end("le chat dort .", same=True) == "Here it writes the same without them."
