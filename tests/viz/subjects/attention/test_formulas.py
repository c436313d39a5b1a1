"""The formulas beside the steps of a cell."""

from pathlib import Path

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import ONE_TEXT, VARIANTS
from tests.shipped import PAPER, shipped
from texts import speaking
from viz.run.axes import AttentionKind
from viz.run.making import make_run
from viz.subjects.attention.formulas import cell_formulas

SELF: AttentionKind = "decoder self-attention"


def formulas_of(name: str, kind: AttentionKind = SELF) -> list[str]:
    run, _ = shipped(name)
    return cell_formulas(run, kind, 0).split("\n\n")


def test_each_line_has_its_formula():
    formulas = formulas_of(PAPER, "cross-attention")
    assert len(formulas) == 13
    assert all(formula.startswith("$") and formula.endswith("$") for formula in formulas)
    assert formulas[0] == r"$\textcolor{orange}{\mathbf{q}} = W^Qx + b^Q$"
    assert formulas[1] == r"$\textcolor{blue}{\mathbf{k}} = W^Km + b^K$"
    assert formulas[4] == r"$s' = s \;\text{ if it may attend, else }{-\infty}$"
    assert formulas[6] == r"$Z = \sum_j e_j$"
    assert formulas[12] == r"$\mathrm{output} = \sum_h W^O_h\,\mathrm{head}_h + b^O$"
    with speaking("fr"):
        assert "sinon" in formulas_of(PAPER)[4]


def test_a_variant_has_its_own():
    temperature = formulas_of(VARIANTS["temperature"])
    assert not any("b^" in formula for formula in temperature)
    assert r"{-10^{9}}" in temperature[4]
    assert r"W^Q\,\mathrm{norm}(x) + b^Q" in formulas_of(VARIANTS["prenorm"])[0]


@pytest.mark.parametrize(
    ("name", "part", "formula"),
    [
        ("tiny-gpt", 0, r"= R_i\,(W^Q\,\mathrm{norm}(x) + b^Q)"),
        ("tiny-gpt", 1, r"= R_j\,(W^K\,\mathrm{norm}(x) + b^K)"),
        ("tiny-gpt", 8, r"= W^V\,\mathrm{norm}(x) + b^V"),
        ("tiny-alibi", 3, r"\,/\, \sqrt{d_k} + b"),
    ],
)
def test_positions_are_in_the_formulas(one_text_checkpoints: Path, name, part, formula):
    run = make_run(load_checkpoint(one_text_checkpoints / name), ONE_TEXT)
    assert formula in cell_formulas(run, SELF, 0).split("\n\n")[part]
