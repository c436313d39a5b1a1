"""Cells that the browser makes from a run's tensors, compared with PyTorch and NumPy in float64."""

import copy
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from model.checkpoints.checkpoint import Checkpoint
from model.interventions.kinds import Intervention
from model.presets import PRESETS
from model.transformer import Transformer
from tests.checkpoints import BY_HEART, DEFAULT, SHIPPED, VARIANTS, load_shipped
from tests.shipped import LONG, PAPER, shipped, without_source
from tests.tiny import tiny_model
from tests.viz.subjects.attention.making import (
    Cell,
    Place,
    made,
    made_cell,
    made_of_heads,
    off,
    places_of,
    view_of,
)
from viz.models.browser_inputs import pack_inputs
from viz.run.axes import KINDS, attention_trace
from viz.run.making import make_run
from viz.run.record import Run
from viz.run.tensor_parcel import pack_tensors

EXAMPLES = (PAPER, "digits-paper", VARIANTS["prenorm"], VARIANTS["headlist"])
"""Models that the browser runs itself; the last one has another norm and no causal mask."""
TOLERANCE = 1e-4
SHOWN, LISTED, PRODUCTS = 6, 24, 8
"""The number of keys shown first, of keys listed at all, and of products shown first."""
CUT = Intervention("cut", "decoder.layers.1.cross_attn.weights", 2, (1,), (0,))
ZERO = Intervention("zero", "encoder.layers.0.self_attn.heads", 1)


def cells_of(run: Run, name: str, way: str, places: list[Place]) -> list[Cell]:
    """Make cells in one of the ways in which the browser gets tensors and parameters."""
    if way == "of heads":
        return made_of_heads(run, load_shipped(name).model, places)
    packed = pack_tensors(run)
    assert packed is not None
    return made(run, places, [packed], checkpoint=SHIPPED / name)


@pytest.mark.parametrize(
    ("name", "way"),
    [*((name, "of heads") for name in EXAMPLES), (EXAMPLES[-1], "with the browser's model")],
)
def test_every_line_of_a_real_run_agrees_with_float64(name: str, way: str):
    run, _ = shipped(name)
    cells = cells_of(run, name, way, places_of(run))
    for cell in cells:
        assert cell["tolerance"] == TOLERANCE
        assert len(cell["lines"]) == 13
        assert not np.isnan(cell["lines"]).any()
        assert off(cell) == [], cell["name"]
    assert max(cell["lines"].max() for cell in cells) > 2**-26  # float32 rounds


@pytest.mark.parametrize("way", ["of heads", "with the browser's model"])
def test_every_number_is_the_captured_one(way):
    """The expected numbers come from the trace, and from formulas on it in float64."""
    places = [Place(kind, *at) for kind in KINDS for at in ((0, 0, 5, 9), (1, 3, 7, 6))]
    run, model = shipped(PAPER)
    for place, cell in zip(places, cells_of(run, PAPER, way, places), strict=True):
        is_captured(cell, place, run, model)


def is_captured(cell: Cell, place: Place, run: Run, model: Transformer) -> None:
    kind, layer, head, query, key = place
    trace = attention_trace(run, kind, layer)
    q, k = trace.query[0, head, query].double(), trace.key[0, head, key].double()
    score, row, mix, output = (cell[name] for name in ("score", "row", "mix", "output"))

    assert sorted(score["order"]) == list(range(16))
    assert_array_equal(score["q"], q)
    assert_array_equal(score["k"], k)
    assert_allclose(score["products"], q * k, rtol=2**-23)
    sizes = np.abs(score["products"][score["order"]])
    assert (sizes[:-1] >= sizes[1:]).all()
    terms = float((q * k).abs().sum())
    assert score["dot"] == pytest.approx(float(q @ k), abs=16 * 2**-24 * terms)
    assert score["more"] == pytest.approx(
        float((q * k)[score["order"]][PRODUCTS:].sum()), abs=16 * 2**-24 * terms
    )
    assert score["scaled"] == trace.scores[0, head, query, key].item()

    keys, weights = row["keys"], trace.weights[0, head, query].double()
    assert cell["weight"] == weights[key]
    assert cell["rank"] == 1 + int((weights > weights[key]).sum())
    assert_array_equal(row["weights"], weights[keys])
    scores = trace.scores[0, head, query].masked_fill(
        ~trace.mask[0].expand(trace.weights.shape[-2:])[query], -math.inf
    )
    assert_array_equal(row["scores"], scores[keys])
    exponentials = (scores.double() - scores.max()).exp()
    assert_allclose(row["exponentials"], exponentials[keys], rtol=2**-23, atol=2**-149)
    assert row["denominator"] == pytest.approx(float(exponentials.sum()), rel=2**-22)
    assert row["largest"] == scores.max().item()

    values = trace.value[0, head].double()
    assert_array_equal(mix["v"], values[key])
    assert_allclose(mix["weighted"], weights[key] * values[key], rtol=2**-23, atol=2**-149)
    assert_array_equal(mix["mix"], trace.heads[0, head, query])
    lengths = weights * values.norm(dim=1)
    assert mix["share"] == pytest.approx(float(lengths[key] / lengths.sum()), rel=1e-12)

    projection = model.get_submodule(cell["name"]).output
    columns = projection.weight.detach().double().view(-1, 4, 16)
    written = torch.einsum("mhv,hv->hm", columns, trace.heads[0, :, query].double())
    assert_allclose(output["own"], written[head], rtol=2**-23)
    assert_array_equal(output["output"], trace.output[0, query])
    assert_allclose(output["norms"], written.norm(dim=1), rtol=2**-23)
    assert output["bias"] == pytest.approx(projection.bias.double().norm().item(), rel=1e-12)
    assert output["together"] == pytest.approx(trace.output[0, query].double().norm().item())


def test_a_cell_is_named_by_its_tokens():
    run, model = shipped(PAPER)
    cell = made_cell(run, model, "cross-attention", 1, 3, 7, 6)
    assert (cell["name"], cell["head"]) == ("decoder.layers.1.cross_attn", 3)
    assert cell["query"] == {"position": 7, "token": run.target_tokens[8]}
    assert cell["key"] == {"position": 6, "token": run.source.tokens[6]}
    assert cell["row"]["tokens"] == [run.source.tokens[key] for key in cell["row"]["keys"]]


@pytest.mark.parametrize(
    "overrides",
    [
        *({"variant": variant} for variant in PRESETS),
        {"variant": "temperature", "d_k": 3, "d_v": 5},
        {"variant": "prenorm", "norm": "layer"},
        {"variant": "prenorm", "norm": "rms"},
        {"variant": "prenorm", "attention_bias": False, "d_k": 6, "d_v": 2},
    ],
    ids=str,
)
def test_shows_what_the_whole_model_gives_in_float64(checkpoint, overrides):
    """The expected numbers come from PyTorch in float64, with the same weights and ids."""
    run, model = tiny_run(checkpoint, **overrides)
    holds_in_float64(run, model, made_of_heads(run, model, places_of(run)))


@pytest.mark.slow
@pytest.mark.parametrize("changes", [(), (CUT, ZERO)], ids=["as it is", "changed"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_browsers_own_run_has_the_same_cells(name: str, changes: tuple[Intervention, ...]):
    view = view_of(load_shipped(name), DEFAULT, *changes)
    places = places_of(view.run)
    inputs: Any = pack_inputs(view, {"key": "", "address": ""})
    cells = made(view.run, places, [], checkpoint=SHIPPED / name, inputs=inputs)
    holds_in_float64(view.run, view.model, cells)
    changed = {line for cell in cells for line in cell["changed"]}
    assert changed == ({"score", "mix"} if changes else set())


def holds_in_float64(run: Run, model: Transformer, cells: list[Cell]) -> None:
    ids = torch.tensor([[1, *(step.token for step in run.steps)][:-1]])
    with torch.inference_mode():
        source = torch.tensor([run.source.ids])
        exact = copy.deepcopy(model).double()(source, ids, edits=run.edits)
    exact_run = replace(run, trace=exact)
    for place, cell in zip(places_of(run), cells, strict=True):
        kind, layer, head, query, key = place
        trace = attention_trace(exact_run, kind, layer)
        shown = {
            "query": (cell["score"]["q"], trace.query[0, head, query]),
            "key": (cell["score"]["k"], trace.key[0, head, key]),
            "score": (cell["score"]["scaled"], trace.scores[0, head, query, key]),
            "weight": (cell["weight"], trace.weights[0, head, query, key]),
            "value": (cell["mix"]["v"], trace.value[0, head, key]),
            "mix": (cell["mix"]["mix"], trace.heads[0, head, query]),
            "output": (cell["output"]["output"], trace.output[0, query]),
        }
        for name, (found, expected) in shown.items():
            scale = max(1.0, float(expected.abs().max()))
            assert_allclose(
                found, expected, rtol=1e-4, atol=2e-5 * scale, err_msg=f"{place} {name}"
            )
        assert set(off(cell)) <= set(cell["changed"]), place


@pytest.mark.parametrize("name", [PAPER, VARIANTS["addnorm"]])
@pytest.mark.parametrize("kind", ["encoder self-attention", "cross-attention"])
def test_a_row_that_is_masked_as_a_whole(name: str, kind):
    """With -inf the softmax is 0 / 0 from there on; with -1e9 all keys become equal again."""
    run, model = without_source(name)
    for layer in (0, 1):
        cell = made_cell(run, model, kind, layer, 2, 1, 3)
        assert off(cell) == []
        row, size = cell["row"], len(run.source.ids)
        assert row["open"] == 0
        if cell["score"]["fill"] == -math.inf:
            assert np.isnan([cell["weight"], row["denominator"], cell["mix"]["share"]]).all()
            assert row["largest"] == -math.inf
            for values in (row["weights"], row["exponentials"], cell["output"]["norms"]):
                assert np.isnan(values).all()
        else:
            assert (row["exponentials"] == 1).all()
            assert row["denominator"] == size
            assert cell["weight"] == pytest.approx(1 / size)


@pytest.mark.parametrize(("name", "fill"), [(PAPER, -math.inf), (VARIANTS["addnorm"], -1e9)])
def test_a_masked_cell(name: str, fill: float):
    run, model = shipped(name)
    cell = made_cell(run, model, "decoder self-attention", 0, 0, 5, 6)
    assert (cell["score"]["isAllowed"], cell["weight"]) == (False, 0)
    assert cell["score"]["masked"] == cell["score"]["fill"] == fill
    row = cell["row"]
    assert row["open"] == 6
    hidden = row["keys"] > 5
    assert_array_equal(row["keys"][hidden], row["hidden"])
    assert_array_equal(row["scores"][hidden], np.float32(fill))


def test_a_long_row_lists_its_strongest_keys_and_sums_the_others():
    run, model = shipped(PAPER, LONG)
    weights = run.trace.encoder.layers[0].self_attn.weights[0, 0, 8].double().numpy()
    order = np.argsort(-weights, kind="stable").tolist()
    places = [
        Place("encoder self-attention", 0, 0, 8, order[rank]) for rank in (0, 3, 5, 6, 23, 24, -1)
    ]
    for place, cell in zip(places, made_of_heads(run, model, places), strict=True):
        key, row = place.key, cell["row"]
        assert {*row["keys"].tolist()} == {*order[:LISTED], key}
        assert key in row["keys"][: row["shown"]]
        assert row["keys"][:5].tolist() == order[:5]
        assert (row["size"], row["shown"]) == (len(order), SHOWN)
        assert row["more"] == pytest.approx(weights.sum() - row["weights"][:SHOWN].sum(), rel=1e-9)
        assert row["others"] == pytest.approx(weights.sum() - row["weights"].sum(), rel=1e-9)


def test_a_variant_without_biases_has_no_length_of_one():
    run, model = shipped(VARIANTS["temperature"])
    assert made_cell(run, model, "cross-attention", 0, 0, 1, 1)["output"]["bias"] is None


def tiny_run(checkpoint: Checkpoint, *, variant: str, **overrides) -> tuple[Run, Transformer]:
    tokenizers = checkpoint.info.tokenizers
    sizes = {
        "source_vocab_size": tokenizers.source.vocab_size,
        "target_vocab_size": tokenizers.target.vocab_size,
        **dict.fromkeys(("n_encoder_layers", "n_decoder_layers"), 1),
        "tying": "none",
    }
    model = tiny_model(variant, **sizes | overrides)
    info = replace(checkpoint.info, variant=variant, config=model.config)
    return make_run(Checkpoint(info=info, model=model), DEFAULT, BY_HEART[DEFAULT]), model
