import base64
import json
import math
from typing import Any

import numpy as np
import pytest
import torch

from tests.checkpoints import VARIANTS
from tests.shipped import LONG, PAPER, cell_of, shipped, without_source
from viz.run.axes import KINDS, attention_trace
from viz.subjects.attention.cell.arithmetic import CellArithmetic
from viz.subjects.attention.cell.explain import explain_cell
from viz.subjects.attention.cell.recompute import TOLERANCE
from viz.subjects.attention.packing import (
    KEYS_SENT,
    KEYS_SHOWN,
    PRODUCTS_SHOWN,
    cell_data,
    cell_formulas,
)

TEMPERATURE = VARIANTS["temperature"]

LEAST = 1e-40
"""Below this float32 holds fewer digits."""


def packed(cell: CellArithmetic, tokens: list[str] | None = None) -> dict[str, Any]:
    """Pack a cell and send it as Streamlit does, by a stricter JSON."""
    names = tokens or [f"token {i}" for i in range(len(cell.row.weights))]
    data = cell_data(
        cell,
        query_tokens=[f"query {i}" for i in range(600)],
        key_tokens=names,
    )
    return json.loads(json.dumps(data, allow_nan=False))


def vector(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4")


def close(text: str, expected: float) -> bool:
    """Whether two numbers are the same in 5 significant digits."""
    return float(text) == pytest.approx(expected, rel=5e-6, nan_ok=True)


@pytest.fixture(scope="module")
def cell() -> CellArithmetic:
    """Of the head that aligns words: "rue" reads "street"."""
    return cell_of("cross-attention", 1, 3, 7, 6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("layer", "head", "query", "key"), [(0, 0, 5, 9), (1, 3, 7, 6)])
def test_every_number_is_the_captured_one(kind, layer, head, query, key):
    """The oracle is the trace, and formulas in float64 on it."""
    run, model = shipped(PAPER)
    data = packed(explain_cell(run, model, kind, layer, head, query, key))
    trace = attention_trace(run, kind, layer)
    q, k = trace.query[0, head, query].double(), trace.key[0, head, key].double()
    score, row, mix, output = (data[name] for name in ("score", "row", "mix", "output"))

    order = score["dimensions"]
    assert sorted(order) == list(range(16))
    np.testing.assert_array_equal(vector(score["q"]), trace.query[0, head, query][order])
    np.testing.assert_array_equal(vector(score["k"]), trace.key[0, head, key][order])
    np.testing.assert_allclose(vector(score["products"]), (q * k)[order], rtol=5e-6)
    sizes = np.abs(vector(score["products"]))
    assert (sizes[:-1] >= sizes[1:]).all()
    assert float(score["dot"]) == pytest.approx((q @ k).item(), rel=1e-4, abs=1e-5)
    assert close(score["scaled"], trace.scores[0, head, query, key].item())

    keys, weights = row["keys"], trace.weights[0, head, query].double()
    assert close(data["weight"], weights[key].item())
    assert data["rank"] == 1 + int((weights > weights[key]).sum())
    np.testing.assert_array_equal(vector(row["weights"]), trace.weights[0, head, query][keys])
    scores = trace.scores[0, head, query].masked_fill(
        ~trace.mask[0].expand(trace.weights.shape[-2:])[query], -math.inf
    )
    np.testing.assert_array_equal(vector(row["scores"]), scores[keys])
    exponentials = (scores.double() - scores.max()).exp()
    np.testing.assert_allclose(
        vector(row["exponentials"]), exponentials[keys], rtol=5e-6, atol=1e-40
    )
    assert close(row["denominator"], exponentials.sum().item())
    assert close(row["largest"], scores.max().item())

    value = trace.value[0, head, key]
    np.testing.assert_array_equal(vector(mix["v"]), value)
    np.testing.assert_allclose(
        vector(mix["weighted"]), weights[key] * value.double(), rtol=5e-6, atol=1e-40
    )
    np.testing.assert_array_equal(vector(mix["mix"]), trace.heads[0, head, query])
    lengths = weights * trace.value[0, head].double().norm(dim=1)
    assert close(mix["share"], (lengths[key] / lengths.sum()).item())

    projection = model.get_submodule(data["name"]).output
    columns = projection.weight.detach().double().view(-1, 4, 16)
    written = torch.einsum("mhv,hv->hm", columns, trace.heads[0, :, query].double())
    np.testing.assert_allclose(vector(output["own"]), written[head], rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(vector(output["output"]), trace.output[0, query])
    np.testing.assert_allclose(vector(output["norms"]), written.norm(dim=1), rtol=5e-6)
    assert close(output["bias"], projection.bias.norm().item())
    assert close(output["together"], trace.output[0, query].norm().item())


def test_names_the_cell_and_says_how_far_each_line_is_from_float64(cell):
    data = packed(cell)
    assert (data["name"], data["head"]) == ("decoder.layers.1.cross_attn", 3)
    query = {"position": 7, "token": "query 7"}
    assert data["query"] == query
    assert data["key"] == {"position": 6, "token": "token 6"}
    np.testing.assert_allclose(
        vector(data["lines"]), [line.relative for line in cell.lines], rtol=5e-6
    )
    assert float(data["tolerance"]) == TOLERANCE


def test_products_that_have_to_be_unfolded_are_summed(cell):
    score = packed(cell)["score"]
    rest = math.fsum(vector(score["products"]).astype(float)[PRODUCTS_SHOWN:])
    assert score["shown"] == PRODUCTS_SHOWN < len(score["dimensions"])
    assert float(score["more"]) == pytest.approx(rest, rel=1e-5)


@pytest.mark.parametrize("rank", [0, 3, 5, 6, 23, 24, -1])
def test_a_long_row_lists_its_strongest_keys_and_sums_the_others(rank):
    run, model = shipped(PAPER, LONG)
    weights = run.trace.encoder.layers[0].self_attn.weights[0, 0, 8].double().numpy()
    order = np.argsort(-weights, kind="stable").tolist()
    size, key = len(order), order[rank]
    assert size > 2 * KEYS_SENT
    data = packed(explain_cell(run, model, "encoder self-attention", 0, 0, 8, key))
    row = data["row"]
    assert set(row["keys"]) == {*order[:KEYS_SENT], key}
    assert key in row["keys"][: row["shown"]]
    assert row["keys"][:5] == order[:5]
    assert (row["size"], row["shown"]) == (size, KEYS_SHOWN)
    assert row["tokens"] == [f"token {i}" for i in row["keys"]]
    listed = vector(row["weights"]).astype(float)
    shown = listed[: row["shown"]].sum()
    assert float(row["more"]) == pytest.approx(weights.sum() - shown, rel=1e-4)
    assert float(row["others"]) == pytest.approx(weights.sum() - listed.sum(), rel=1e-4)


@pytest.mark.parametrize(("name", "fill"), [(PAPER, -math.inf), (VARIANTS["addnorm"], -1e9)])
def test_a_masked_cell(name, fill):
    data = packed(cell_of("decoder self-attention", 0, 0, 5, 6, name))
    assert (data["score"]["allowed"], data["weight"]) == (False, "0")
    assert float(data["score"]["masked"]) == float(data["score"]["fill"]) == fill
    row = data["row"]
    assert row["open"]
    assert [key for key in row["keys"] if key > 5] == sorted(row["hidden"])
    hidden = [place for place, key in enumerate(row["keys"]) if key > 5]
    np.testing.assert_array_equal(vector(row["scores"])[hidden], np.float32(fill))


def test_numbers_that_json_does_not_know():
    run, model = without_source(PAPER)
    data = packed(explain_cell(run, model, "cross-attention", 0, 1, 2, 3))
    assert data["weight"] == data["mix"]["share"] == data["row"]["denominator"] == "NaN"
    assert data["row"]["largest"] == "-Infinity"
    assert not data["row"]["open"]
    assert np.isnan(vector(data["mix"]["mix"])).all()


def test_a_variant_without_biases_has_no_length_of_one():
    run, model = shipped(TEMPERATURE)
    cell = explain_cell(run, model, "cross-attention", 0, 0, 1, 1)
    assert packed(cell)["output"]["bias"] == ""


def test_formulas_stay_the_same_from_cell_to_cell(cell):
    formulas = cell_formulas(cell)
    assert formulas == cell_formulas(cell_of("cross-attention", 1, 3, 0, 0))
    assert len(formulas.split("\n\n")) == len(cell.lines) == 13
    assert formulas.count("$") == 2 * 13
    assert r"\textcolor{orange}{\mathbf{q}} = W^Qx + b^Q" in formulas
    assert r"\textcolor{blue}{\mathbf{k}} = W^Km + b^K" in formulas
    assert r"\text{ if it may attend, else }{-\infty}" in formulas
    other = cell_formulas(cell_of("decoder self-attention", 0, 0, 0, 0, TEMPERATURE))
    assert "b^" not in other
    assert r"{-10^{9}}" in other
    normed = cell_formulas(cell_of("decoder self-attention", 0, 0, 0, 0, VARIANTS["prenorm"]))
    assert r"W^Q\,\mathrm{norm}(x) + b^Q" in normed
