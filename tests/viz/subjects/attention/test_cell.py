"""Cells that the browser makes from a run's tensors, compared with torch and numpy in float64."""

import copy
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from torch.nn import functional

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.edits import Edits
from model.interventions.kinds import Intervention
from model.presets import PRESETS
from model.traces import AttentionTrace, EncoderLayerTrace, EncoderTrace, FeedForwardTrace
from model.transformer import Transformer
from tests.checkpoints import DEFAULT, ONE_TEXT, ONE_TEXT_MODELS, SHIPPED, VARIANTS
from tests.shipped import LONG, PAPER, shipped, without_source
from tests.tiny import shaken, tiny_model
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
from viz.run.inputs import pack_inputs
from viz.run.payload import are_tensors_sent
from viz.run.record import KINDS, Run, attention_trace, make_run
from viz.run.redaction import CoveredRows, Redaction, cover_parcel
from viz.run.tensor_parcel import pack_heads, pack_tensors

EXAMPLES = (PAPER, "digits-paper", VARIANTS["prenorm"], VARIANTS["headlist"])
"""Models that the browser runs itself: the last one has another norm, and no causal mask."""
SELF = "decoder self-attention"
LAYER, HEAD, QUERY, KEY = 1, 1, 9, 3
"""A cell of the first model whose row is spread over many keys."""
TOLERANCE = 1e-4
SHOWN, LISTED, PRODUCTS = 6, 24, 8
"""Keys that are shown first, and that are listed at all; products that are shown first."""
CUT = Intervention("cut", "decoder.layers.1.cross_attn.weights", 2, (1,), (0,))
ZERO = Intervention("zero", "encoder.layers.0.self_attn.heads", 1)

SHAPES: dict[str, dict[str, Any]] = {
    **{name: {} for name in ONE_TEXT_MODELS},
    "parallel, part turned": {
        "norm_placement": "parallel",
        "norm": "unbiased_std",
        "rotary_share": 0.5,
        "d_k": 12,
        "attention_output_bias": False,
    },
    "relative": {"positions": "relative", "score_scale": 1.0, "attention_bias": False},
}
"""Models of one text: grouped keys, rotary positions, biases for the distance, other norms."""


def cells_of(run: Run, name: str, way: str, places: list[Place]) -> list[Cell]:
    """Make cells in one of the ways in which tensors and parameters reach the browser."""
    if way == "of heads":
        return made_of_heads(run, load_checkpoint(SHIPPED / name).model, places)
    packed = pack_tensors(run)
    assert packed is not None
    return made(run, places, [packed], checkpoint=SHIPPED / name)


@pytest.mark.parametrize("way", ["of heads", "with the browser's model"])
@pytest.mark.parametrize("name", EXAMPLES)
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
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("layer", "head", "query", "key"), [(0, 0, 5, 9), (1, 3, 7, 6)])
def test_every_number_is_the_captured_one(kind, layer, head, query, key, way):
    """The oracle is the trace, and formulas in float64 on it."""
    run, model = shipped(PAPER)
    (cell,) = cells_of(run, PAPER, way, [Place(kind, layer, head, query, key)])
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
    """The oracle is torch's own float64: the same weights, run once more from the ids."""
    run, model = tiny_run(checkpoint, **overrides)
    holds_in_float64(run, model, made_of_heads(run, model, places_of(run)))


@pytest.mark.parametrize("changes", [(), (CUT, ZERO)], ids=["as it is", "changed"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_browsers_own_run_has_the_same_cells(name: str, changes: tuple[Intervention, ...]):
    view = view_of(load_checkpoint(SHIPPED / name), DEFAULT, *changes)
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


@pytest.mark.parametrize(
    ("part", "place", "wrong"),
    [
        ("query", (HEAD, QUERY, 0), {"query", "weights"}),
        ("query", (HEAD, QUERY - 1, 0), set()),
        ("key", (HEAD, KEY, 0), {"key", "weights"}),
        ("key", (HEAD, KEY - 1, 0), {"weights"}),
        ("value", (HEAD, KEY, 0), {"value", "mix"}),
        ("value", (HEAD, KEY + 1, 0), {"mix"}),
        ("edited_scores", (HEAD, QUERY, KEY), {"score", "weights"}),
        ("mask", (QUERY, KEY), {"weights"}),
        ("weights", (HEAD, QUERY, KEY), {"weights", "mix"}),
        ("weights", (HEAD, QUERY + 1, KEY), set()),
        ("heads", (HEAD, QUERY, 0), {"mix", "output"}),
        ("heads", (HEAD + 1, QUERY, 0), {"output"}),
        ("output", (QUERY, 0), {"output"}),
        ("input", (QUERY, 0), {"query"}),
        ("input", (KEY, 0), {"key", "value"}),
    ],
)
def test_one_wrong_number_fails_the_lines_that_it_concerns(part, place, wrong):
    run, model = shipped(PAPER)
    trace = attention_trace(run, SELF, LAYER)
    if part == "input":
        states = changed(run.trace.decoder.layers[LAYER].input, place)
        wrongly = with_attention(run, trace, input=states)
    else:
        before = trace.scores if part == "edited_scores" else getattr(trace, part)
        wrongly = with_attention(run, replace(trace, **{part: changed(before, place)}))
    assert set(off(made_cell(wrongly, model, SELF, LAYER, HEAD, QUERY, KEY))) == wrong


@pytest.mark.parametrize(
    ("part", "place", "wrong"),
    [
        ("query.weight", (HEAD * 16, 0), {"query"}),
        ("key.bias", (HEAD * 16,), {"key"}),
        ("value.weight", (HEAD * 16 + 15, 63), {"value"}),
        ("output.weight", (0, HEAD * 16), {"output"}),
        ("output.weight", (0, HEAD * 16 + 16), {"output"}),
        ("output.bias", (63,), {"output"}),
    ],
)
def test_one_wrong_parameter_fails_the_lines_that_it_concerns(part, place, wrong):
    run, model = shipped(PAPER)
    wrongly = copy.deepcopy(model)
    with torch.no_grad():
        wrongly.get_parameter(f"decoder.layers.{LAYER}.self_attn.{part}")[place] += 1
    assert set(off(made_cell(run, wrongly, SELF, LAYER, HEAD, QUERY, KEY))) == wrong


@pytest.mark.parametrize("name", [PAPER, VARIANTS["addnorm"]])
@pytest.mark.parametrize("kind", ["encoder self-attention", "cross-attention"])
def test_a_row_that_is_masked_as_a_whole(name: str, kind):
    """With -inf it is 0 / 0 from there on; with -1e9 all keys are equal again."""
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


def test_an_edit_of_the_scores_is_seen_and_followed():
    run, model = shipped(PAPER)
    edits = Edits({f"decoder.layers.{LAYER}.self_attn.scores[{HEAD}]": lambda scores: scores + 1})
    ids = torch.tensor([[1, *(step.token for step in run.steps)][:-1]])
    with torch.inference_mode():
        trace = model(torch.tensor([run.source.ids]), ids, edits=edits)
    edited = replace(run, trace=trace, edits=edits)
    plain = made_cell(run, model, SELF, LAYER, HEAD, QUERY, KEY)
    cell = made_cell(edited, model, SELF, LAYER, HEAD, QUERY, KEY)
    assert (plain["score"]["isEdited"], cell["score"]["isEdited"]) == (False, True)
    assert cell["score"]["scaled"] == pytest.approx(plain["score"]["scaled"] + 1)
    assert cell["score"]["dot"] == plain["score"]["dot"]
    assert (off(plain), off(cell)) == ([], ["score"])
    assert (plain["changed"], cell["changed"]) == ([], ["score"])
    assert off(made_cell(edited, model, SELF, LAYER, HEAD + 1, QUERY, KEY)) == []


def test_a_dot_product_that_cancels_is_held_against_its_terms():
    run, model = shipped(PAPER)
    trace = attention_trace(run, SELF, LAYER)
    query, key = torch.zeros_like(trace.query), torch.zeros_like(trace.key)
    query[0, HEAD, QUERY, :3] = torch.tensor([1000.0, 1000.0, 0.1])
    key[0, HEAD, KEY, :3] = torch.tensor([1.1, -1.1, 1e-4])
    wrongly = with_attention(run, replace(trace, query=query, key=key))
    cell = made_cell(wrongly, model, SELF, LAYER, HEAD, QUERY, KEY)
    assert abs(cell["score"]["dot"]) < 1e-3
    assert not {"dot product", "score"} & {*off(cell)}


@pytest.mark.parametrize("rank", [0, 3, 5, 6, 23, 24, -1])
def test_a_long_row_lists_its_strongest_keys_and_sums_the_others(rank: int):
    run, model = shipped(PAPER, LONG)
    weights = run.trace.encoder.layers[0].self_attn.weights[0, 0, 8].double().numpy()
    order = np.argsort(-weights, kind="stable").tolist()
    key = order[rank]
    row = made_cell(run, model, "encoder self-attention", 0, 0, 8, key)["row"]
    assert {*row["keys"].tolist()} == {*order[:LISTED], key}
    assert key in row["keys"][: row["shown"]]
    assert row["keys"][:5].tolist() == order[:5]
    assert (row["size"], row["shown"]) == (len(order), SHOWN)
    assert row["more"] == pytest.approx(weights.sum() - row["weights"][:SHOWN].sum(), rel=1e-9)
    assert row["others"] == pytest.approx(weights.sum() - row["weights"].sum(), rel=1e-9)


def test_a_variant_without_biases_has_no_length_of_one():
    run, model = shipped(VARIANTS["temperature"])
    assert made_cell(run, model, "cross-attention", 0, 0, 1, 1)["output"]["bias"] is None


def test_without_parameters_nothing_is_said_of_what_needs_them():
    run, _ = shipped(PAPER)
    cell = made_cell(run, None, SELF, LAYER, HEAD, QUERY, KEY)
    assert cell["output"] is None
    assert np.flatnonzero(np.isnan(cell["lines"])).tolist() == [0, 1, 8, 11, 12]
    assert off(cell) == []


def test_a_cell_of_a_head_that_was_not_sent_is_not_made():
    run, model = shipped(PAPER)
    places = [Place(SELF, LAYER, HEAD, QUERY, KEY), Place(SELF, LAYER, HEAD + 1, QUERY, KEY)]
    here, missing = made(run, places, [pack_heads(run, model, [(SELF, LAYER, HEAD)])])
    assert here["head"] == HEAD
    assert missing is None


def test_a_run_of_which_a_lesson_covers_something_has_no_tensors(checkpoint: Checkpoint):
    parcel = view_of(checkpoint, DEFAULT).parcel
    assert are_tensors_sent(parcel)
    cover = Redaction("key", (CoveredRows("cross-attention", (2,)),))
    for covered in (cover_parcel(parcel, cover), cover_parcel(parcel, Redaction("key"))):
        assert not are_tensors_sent(covered)
        assert covered.data.keys() == {"meta", "codes"}


@pytest.fixture(scope="module", params=SHAPES)
def one_text(request: pytest.FixtureRequest, one_text_checkpoints) -> tuple[Run, Transformer]:
    changes = SHAPES[request.param]
    checkpoint = load_checkpoint(
        one_text_checkpoints / (request.param if not changes else "tiny-gpt")
    )
    if changes:
        config = replace(checkpoint.info.config, **changes)
        torch.manual_seed(0)
        model = shaken(Transformer(config))
        assert isinstance(model, Transformer)
        checkpoint = Checkpoint(info=replace(checkpoint.info, config=config), model=model)
    return make_run(checkpoint, ONE_TEXT), checkpoint.model


def test_each_line_agrees_in_models_of_one_text(one_text: tuple[Run, Transformer]):
    run, model = one_text
    (site,) = run.anatomy.sites
    places = [
        Place(site.name, layer, head, 6, 5)
        for layer in range(site.layers)
        for head in range(site.heads)
    ]
    for cell in made_of_heads(run, model, places):
        assert not np.isnan(cell["lines"]).any()
        assert off(cell) == []
        assert cell["reads"] == (site.name == SELF)


def test_a_cell_is_what_torch_makes_of_its_query_and_its_keys(one_text: tuple[Run, Transformer]):
    run, model = one_text
    (site,) = run.anatomy.sites
    attention = attention_trace(run, site.name, 1)
    cell = made_cell(run, model, site.name, 1, 3, 6, 5)
    shared = site.heads // site.kv_heads
    key = attention.key.repeat_interleave(shared, dim=1)
    bias = torch.zeros(site.heads, 1, 1) if attention.bias is None else attention.bias[0]
    hidden = ~attention.mask.expand(1, *attention.weights.shape[-2:])
    ones = torch.eye(key.size(2)).expand(1, site.heads, -1, -1)  # as values they give the weights
    scale = run.info.config.score_scale or site.d_k**-0.5
    weights = functional.scaled_dot_product_attention(
        attention.query,
        key,
        ones,
        attn_mask=(bias + torch.zeros_like(hidden, dtype=torch.float)).masked_fill(
            hidden, -torch.inf
        ),
        scale=scale,
    )
    assert cell["weight"] == pytest.approx(weights[0, 3, 6, 5].item(), abs=1e-6)
    assert cell["readers"].tolist() == ([2, 3] if shared == 2 else [3])
    assert cell["score"]["scale"] == (None if scale == site.d_k**-0.5 else scale)
    if attention.bias is None:
        assert cell["score"]["bias"] is None
    else:
        assert cell["score"]["bias"] == attention.bias[0, 3, 6, 5]


def test_a_query_and_a_key_are_turned_by_their_places(one_text_checkpoints):
    """Only with the right angles the lines of rotary positions agree."""
    checkpoint = load_checkpoint(one_text_checkpoints / "tiny-gpt")
    run = make_run(checkpoint, ONE_TEXT)
    wrong = Transformer(replace(run.info.config, rotary_base=5000.0))
    wrong.load_state_dict(checkpoint.model.state_dict())
    cells = [made_cell(run, model, SELF, 0, 1, 7, 3) for model in (checkpoint.model, wrong)]
    assert [cell["turned"] for cell in cells] == [True, True]
    assert [off(cell) for cell in cells] == [[], ["query", "key"]]
    not_turned, _ = shipped(PAPER)
    assert not made_cell(not_turned, None, SELF, 0, 1, 7, 3)["turned"]


def test_a_score_is_kept_within_its_cap_and_a_row_may_read_nothing():
    """The oracle is the formula in float64; a sink takes a tenth of the row."""
    run, model = shipped(PAPER)
    trace = attention_trace(run, SELF, LAYER)
    site = replace(run.anatomy.site(SELF), sinks=True)
    sites = tuple(site if one.name == SELF else one for one in run.anatomy.sites)
    capped = replace(trace, softcap=2.0, edited_scores=None)
    scores = capped.scores.masked_fill(~trace.mask.unsqueeze(1), -math.inf).double()
    raw = (trace.query.double() @ trace.key.double().mT)[0, HEAD, QUERY, KEY] * trace.scale
    weights = 0.9 * scores.softmax(-1)
    heads = weights @ trace.value.double()
    capped = replace(capped, weights=weights.float(), heads=heads.float())
    made_so = replace(with_attention(run, capped), anatomy=replace(run.anatomy, sites=sites))
    cell = made_cell(made_so, model, SELF, LAYER, HEAD, QUERY, KEY)
    assert cell["score"]["softcap"] == 2
    assert cell["score"]["scaled"] == pytest.approx(2 * math.tanh(raw / 2), rel=1e-5)
    assert cell["row"]["left"] == pytest.approx(0.1, rel=1e-5)
    exponentials = (scores[0, HEAD, QUERY] - scores[0, HEAD, QUERY].max()).exp()
    assert cell["row"]["denominator"] == pytest.approx(float(exponentials.sum()) / 0.9, rel=1e-5)
    assert off(cell) == ["output"]  # which was made of other mixes


def test_a_case_worked_out_by_hand(run: Run):
    """One head, two positions, two dimensions.

    q0 = (2, 0); k = (1, 0), (2, 2); v = (0, 4), (2, 1). Scores: 2/√2 and 4/√2, so √2 and 2√2.
    """
    config = replace(
        run.info.config, d_model=2, d_ff=2, n_heads=1, d_k=2, d_v=2, n_encoder_layers=1
    )
    model = Transformer(config)
    attention = model.encoder.layers[0].self_attn
    projections = {
        "query": ([[2, 0], [0, 1]], [0, 0]),
        "key": ([[1, 1], [0, 1]], [0, 0]),
        "value": ([[0, 1], [3, 0]], [0, 1]),
        "output": ([[1, 0], [0, -1]], [1, 0]),
    }
    with torch.no_grad():
        for name, (weight, bias) in projections.items():
            attention.get_submodule(name).weight.copy_(torch.tensor(weight))
            attention.get_submodule(name).bias.copy_(torch.tensor(bias))
    small = math.exp(-math.sqrt(2))
    w0, w1 = small / (1 + small), 1 / (1 + small)
    trace = AttentionTrace(
        query=torch.tensor([[[[2.0, 0.0], [0.0, 2.0]]]]),
        key=torch.tensor([[[[1.0, 0.0], [2.0, 2.0]]]]),
        value=torch.tensor([[[[0.0, 4.0], [2.0, 1.0]]]]),
        scale=2**-0.5,
        bias=None,
        edited_scores=None,
        mask=torch.ones(1, 1, 2, dtype=torch.bool),
        weights=torch.tensor([[[[w0, w1], [0.5, 0.5]]]]),
        heads=torch.tensor([[[[2 * w1, 4 * w0 + w1], [1.0, 2.5]]]]),
        output=torch.tensor([[[1 + 2 * w1, -4 * w0 - w1], [2.0, -2.5]]]),
    )
    x = torch.tensor([[[1.0, 0.0], [0.0, 2.0]]])
    layer = EncoderLayerTrace(x, trace, x, FeedForwardTrace(x, x), x)
    by_hand = replace(
        run,
        info=replace(run.info, config=config),
        trace=replace(run.trace, encoder=EncoderTrace((layer,), x)),
    )
    place = Place("encoder self-attention", 0, 0, 0, 1)
    packed = pack_heads(by_hand, model, [place[:3]])
    (cell,) = made(run, [place], [packed], heads=1)
    assert off(cell) == []
    assert cell["name"] == "encoder.layers.0.self_attn"
    assert cell["score"]["products"].tolist() == [4.0, 0.0]
    assert cell["score"]["order"].tolist() == [0, 1]
    assert cell["score"]["dot"] == 4.0
    assert cell["score"]["scaled"] == cell["score"]["masked"] == pytest.approx(2.828427125)
    row = dict(zip(cell["row"]["keys"].tolist(), cell["row"]["exponentials"], strict=True))
    assert row == {1: 1, 0: pytest.approx(0.2431167)}
    assert cell["row"]["denominator"] == pytest.approx(1.2431167)
    assert cell["weight"] == pytest.approx(0.8044294)
    assert cell["mix"]["weighted"].tolist() == pytest.approx([1.6088588, 0.8044294])
    assert cell["mix"]["mix"].tolist() == pytest.approx([1.6088588, 1.5867118])
    lengths = 0.1955706 * 4, 0.8044294 * math.sqrt(5)
    assert cell["mix"]["share"] == pytest.approx(lengths[1] / sum(lengths))
    assert cell["output"]["own"].tolist() == pytest.approx([1.6088588, -1.5867118])
    assert cell["output"]["norms"].tolist() == pytest.approx([math.hypot(1.6088588, 1.5867118)])
    assert cell["output"]["bias"] == 1


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
    return make_run(Checkpoint(info=info, model=model), DEFAULT), model


def changed(tensor: torch.Tensor, place: tuple[int, ...]) -> torch.Tensor:
    """Copy a tensor with one number of its first row of the batch changed."""
    copied = tensor.clone()
    copied[0, *place] = ~copied[0, *place] if copied.dtype == torch.bool else copied[0, *place] + 1
    return copied


def with_attention(run: Run, attention: AttentionTrace, **states) -> Run:
    """Put another self-attention into a decoder layer of a run, and other states."""
    decoder = run.trace.decoder
    layers = list(decoder.layers)
    layers[LAYER] = replace(layers[LAYER], self_attn=attention, **states)
    return replace(run, trace=replace(run.trace, decoder=replace(decoder, layers=tuple(layers))))
