"""The checks of a cell: each wrong number fails the lines that depend on it, and no others."""

import copy
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.edits import Edits
from model.traces import AttentionTrace, EncoderLayerTrace, EncoderTrace, FeedForwardTrace
from model.transformer import Transformer
from tests.checkpoints import DEFAULT
from tests.shipped import PAPER, shipped
from tests.viz.subjects.attention.making import (
    Place,
    made,
    made_cell,
    off,
    view_of,
)
from viz.run.axes import attention_trace
from viz.run.record import Run
from viz.run.redaction import CoveredRows, Redaction, cover_parcel
from viz.run.sending import are_tensors_sent
from viz.run.tensor_parcel import pack_heads

SELF = "decoder self-attention"
LAYER, HEAD, QUERY, KEY = 1, 1, 9, 3
"""A cell of the first model, whose row is spread over many keys."""


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


def test_a_score_is_kept_within_its_cap_and_a_row_may_read_nothing():
    """The expected numbers come from the formula in float64; a sink takes a tenth of the row."""
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
    assert off(cell) == ["output"]  # the stored output was made of other mixes


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


def test_a_card_gets_no_tensors_of_a_stack_of_which_a_lesson_covers_a_row(checkpoint: Checkpoint):
    parcel = view_of(checkpoint, DEFAULT).parcel
    assert are_tensors_sent(parcel)
    sent = parcel.data["meta"]["tensors"]["arrays"].keys()
    cover = Redaction("key", (CoveredRows("cross-attention", (2,)),))
    left = cover_parcel(parcel, cover).data["meta"]["tensors"]["arrays"].keys()
    assert left == {name for name in sent if name.startswith(("encoder", "source_embedding"))}
    assert cover_parcel(parcel, Redaction("key")).data["meta"]["tensors"]["arrays"].keys() == sent


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
    layer = EncoderLayerTrace(
        input=x,
        self_attn=trace,
        after_self_attn=x,
        feed_forward=FeedForwardTrace(hidden=x, output=x),
        output=x,
    )
    by_hand = replace(
        run,
        info=replace(run.info, config=config),
        trace=replace(run.trace, encoder=EncoderTrace(layers=(layer,), output=x)),
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


def changed(tensor: torch.Tensor, place: tuple[int, ...]) -> torch.Tensor:
    """Copy a tensor and change one number in the first text of the batch."""
    copied = tensor.clone()
    copied[0, *place] = ~copied[0, *place] if copied.dtype == torch.bool else copied[0, *place] + 1
    return copied


def with_attention(run: Run, attention: AttentionTrace, **states) -> Run:
    """Replace the self-attention, and other states, of a decoder layer of a run."""
    decoder = run.trace.decoder
    layers = list(decoder.layers)
    layers[LAYER] = replace(layers[LAYER], self_attn=attention, **states)
    return replace(run, trace=replace(run.trace, decoder=replace(decoder, layers=tuple(layers))))
