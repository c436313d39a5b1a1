import copy
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.edits import Edits
from model.presets import PRESETS
from model.traces import AttentionTrace, EncoderLayerTrace, EncoderTrace, FeedForwardTrace
from model.transformer import Transformer
from tests.checkpoints import DEFAULT, VARIANTS
from tests.shipped import PAPER, shipped, without_source
from tests.tiny import tiny_model
from viz.run.axes import KINDS, attention_trace, layer_count
from viz.run.making import make_run
from viz.run.record import Run
from viz.subjects.attention.cell.arithmetic import CellArithmetic
from viz.subjects.attention.cell.explain import explain_cell
from viz.subjects.attention.cell.recompute import normalised

EXAMPLES = ("digits-paper", VARIANTS["prenorm"], VARIANTS["headlist"])
LINES = (
    "query",
    "key",
    "dot product",
    "score",
    "masked score",
    "exponentials",
    "denominator",
    "weights",
    "value",
    "weighted value",
    "mix",
    "contribution",
    "output",
)
SELF = "decoder self-attention"
LAYER, HEAD, QUERY, KEY = 1, 1, 9, 3
"""A cell of the first model whose row is spread over many keys."""


def cells(run: Run, model: Transformer) -> Iterator[tuple[tuple, CellArithmetic]]:
    """Explain corners and the middle of every head: a masked cell is among them."""
    for kind in KINDS:
        for layer in range(layer_count(run.info.config, kind)):
            _, heads, rows, columns = attention_trace(run, kind, layer).weights.shape
            places = {
                (0, 0),
                (0, columns - 1),
                (rows - 1, columns - 1),
                (rows // 2, columns // 2),
            }
            for head in range(heads):
                for query, key in sorted(places):
                    place = (kind, layer, head, query, key)
                    yield place, explain_cell(run, model, *place)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_line_agrees_with_its_recomputation_in_real_runs(name):
    for place, cell in cells(*shipped(name)):
        assert tuple(line.name for line in cell.lines) == LINES
        for line in cell.lines:
            assert line.agrees, (place, line.name, line.relative)
            assert line.relative <= 1e-4


def test_a_case_worked_out_by_hand(run):
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
    made = replace(
        run,
        info=replace(run.info, config=config),
        trace=replace(run.trace, encoder=EncoderTrace((layer,), x)),
    )
    cell = explain_cell(made, model, "encoder self-attention", 0, 0, 0, 1)
    assert all(line.agrees for line in cell.lines)
    assert cell.name == "encoder.layers.0.self_attn"
    assert cell.score.products.tolist() == [4.0, 0.0]
    assert cell.score.order.tolist() == [0, 1]
    assert cell.score.dot == 4.0
    assert 1 / cell.score.scale == pytest.approx(1.414213562)
    assert cell.score.scaled == cell.score.masked == pytest.approx(2.828427125)
    assert cell.row.exponentials.tolist() == pytest.approx([0.2431167, 1.0])
    assert cell.row.denominator == pytest.approx(1.2431167)
    assert cell.row.order.tolist() == [1, 0]
    assert cell.weight == pytest.approx(0.8044294)
    assert cell.mix.weighted.tolist() == pytest.approx([1.6088588, 0.8044294])
    assert cell.mix.mix.tolist() == pytest.approx([1.6088588, 1.5867118])
    lengths = 0.1955706 * 4, 0.8044294 * math.sqrt(5)
    assert cell.mix.share == pytest.approx(lengths[1] / sum(lengths))
    assert cell.output.contributions.tolist() == [pytest.approx([1.6088588, -1.5867118])]
    assert cell.output.norms.tolist() == pytest.approx([math.hypot(1.6088588, 1.5867118)])
    assert cell.output.bias.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "overrides",
    [
        *({"variant": variant} for variant in PRESETS),
        {"variant": "temperature", "d_k": 3, "d_v": 5},
        {"variant": "prenorm", "norm": "layer"},
        {"variant": "prenorm", "attention_bias": False, "d_k": 6, "d_v": 2},
    ],
    ids=str,
)
def test_recomputes_what_the_whole_model_gives_in_float64(checkpoint, overrides):
    """The oracle is torch's own float64: the same weights, run once more from the ids."""
    run, model = tiny_run(checkpoint, **overrides)
    ids = torch.tensor([[1, *(step.token for step in run.steps)][:-1]])
    with torch.inference_mode():
        exact = copy.deepcopy(model).double()(torch.tensor([run.source.ids]), ids)
    exact_run = replace(run, trace=exact)
    for (kind, layer, head, query, key), cell in cells(run, model):
        trace = attention_trace(exact_run, kind, layer)
        expected = {
            "query": trace.query[0, head, query],
            "key": trace.key[0, head, key],
            "score": trace.scores[0, head, query, key],
            "weights": trace.weights[0, head, query],
            "value": trace.value[0, head, key],
            "mix": trace.heads[0, head, query],
            "output": trace.output[0, query],
        }
        for line in cell.lines:
            assert line.agrees, (kind, layer, head, line.name)
            assert line.recomputed.dtype == np.float64
            if line.name in expected:
                np.testing.assert_allclose(
                    line.recomputed, expected[line.name], rtol=1e-4, atol=2e-5
                )


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
        made = with_attention(run, trace, input=states)
    else:
        before = trace.scores if part == "edited_scores" else getattr(trace, part)
        made = with_attention(run, replace(trace, **{part: changed(before, place)}))
    cell = explain_cell(made, model, SELF, LAYER, HEAD, QUERY, KEY)
    assert {line.name for line in cell.lines if not line.agrees} == wrong


@pytest.mark.parametrize("name", ["everyday-paper-0", VARIANTS["addnorm"]])
@pytest.mark.parametrize("kind", ["encoder self-attention", "cross-attention"])
def test_a_row_that_is_masked_as_a_whole(name, kind):
    """With -inf it is 0 / 0 from there on; with -1e9 all keys are equal again."""
    run, model = without_source(name)
    for layer in (0, 1):
        cell = explain_cell(run, model, kind, layer, 2, 1, 3)
        assert all(line.agrees for line in cell.lines)
        if cell.score.fill == -math.inf:
            assert np.isnan(cell.row.weights).all()
            assert np.isnan(cell.row.exponentials).all()
            assert math.isnan(cell.mix.share)
            assert np.isnan(cell.output.norms).all()
        else:
            assert (cell.row.exponentials == 1).all()
            assert cell.row.denominator == len(run.source.ids)
            assert cell.weight == pytest.approx(1 / len(run.source.ids))


def test_an_edit_of_the_scores_is_seen_and_followed():
    run, model = shipped(PAPER)
    edits = Edits({f"decoder.layers.{LAYER}.self_attn.scores[{HEAD}]": lambda scores: scores + 1})
    ids = torch.tensor([[1, *(step.token for step in run.steps)][:-1]])
    with torch.inference_mode():
        edited = replace(run, trace=model(torch.tensor([run.source.ids]), ids, edits=edits))
    plain = explain_cell(run, model, SELF, LAYER, HEAD, QUERY, KEY)
    cell = explain_cell(edited, model, SELF, LAYER, HEAD, QUERY, KEY)
    assert (plain.score.edited, cell.score.edited) == (False, True)
    assert cell.score.scaled == pytest.approx(plain.score.scaled + 1)
    assert cell.score.dot == plain.score.dot
    assert [line.name for line in cell.lines if not line.agrees] == ["score"]
    other = explain_cell(edited, model, SELF, LAYER, HEAD + 1, QUERY, KEY)
    assert all(line.agrees for line in other.lines)


def test_a_dot_product_that_cancels_is_held_against_its_terms():
    run, model = shipped(PAPER)
    trace = attention_trace(run, SELF, LAYER)
    query, key = torch.zeros_like(trace.query), torch.zeros_like(trace.key)
    query[0, HEAD, QUERY, :3] = torch.tensor([1000.0, 1000.0, 0.1])
    key[0, HEAD, KEY, :3] = torch.tensor([1.1, -1.1, 1e-4])
    made = with_attention(run, replace(trace, query=query, key=key))
    lines = {
        line.name: line for line in explain_cell(made, model, SELF, LAYER, HEAD, QUERY, KEY).lines
    }
    assert abs(lines["dot product"].recomputed) < 1e-4
    assert lines["dot product"].agrees
    assert lines["score"].agrees


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


def test_a_norm_by_the_root_mean_square_takes_no_mean_off_and_has_no_bias():
    model = tiny_model("prenorm", norm="rms", norm_eps=1e-3)
    vector = np.random.default_rng(0).normal(size=16) + 3
    weight = model.get_parameter("encoder.layers.0.self_attn_norm.weight").detach().double()
    expected = torch.nn.functional.rms_norm(torch.from_numpy(vector), (16,), weight, 1e-3)
    found = normalised(vector, model.config, weight.numpy(), 0.0)
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-12)
