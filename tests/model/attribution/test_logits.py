import pytest
import torch
from torch.testing import assert_close

from model.attribution.logits import addends, direct_by_source, split_state
from model.checkpoints.checkpoint import load_checkpoint
from model.edits import Edits, ablate, scale
from model.text.tokenizer import BOS_ID
from tests.model.by_hand import WRITTEN, double, traced
from tests.shipped import PAPER, shipped
from tests.tiny import shaken

ROW, TOKEN, OTHER = 2, 8, 5


def test_parts_sum_to_the_output_of_the_decoder_in_every_variant(variant: str):
    model, trace = double(variant), traced(double(variant))
    parts = split_state(model, trace)
    assert_close(sum(part.values for part in parts), trace.decoder.output[0])
    assert "edit" not in {part.kind for part in parts}


def test_what_they_add_sums_to_the_logit_and_to_the_lead_over_another(variant: str):
    model, trace = double(variant), traced(double(variant))
    parts, logits = split_state(model, trace), trace.logits[0, ROW]
    one = addends(model, parts, ROW, TOKEN)
    assert_close(sum(part.value for part in one), logits[TOKEN].item())
    lead = addends(model, parts, ROW, TOKEN, OTHER)
    assert_close(sum(part.value for part in lead), (logits[TOKEN] - logits[OTHER]).item())
    assert one[-1].kind == lead[-1].kind == "output bias"


def test_each_part_of_the_decoder_is_named_once():
    model = double()
    names = [part.name for part in split_state(model, traced(model))]
    assert len(set(names)) == len(names)
    assert sum("heads[" in name for name in names) == 2 * 3 * 4
    assert sum(name.endswith("norm.bias") for name in names) == 3 * 3
    assert sum(name.endswith("attn.output.bias") for name in names) == 2 * 3


def test_projections_without_biases_have_none_to_add():
    model = double("temperature")
    names = [part.name for part in split_state(model, traced(model))]
    assert not any(name.endswith("output.bias") for name in names)


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("decoder.layers.1.self_attn.output", ablate),
        ("decoder.layers.0.after_cross_attn", scale(2.0)),
        ("decoder.layers.2.input", scale(0.5)),
        ("decoder.layers.1.output", torch.neg),
        ("target_embedding.output", scale(3.0)),
        ("decoder.output", scale(2.0)),
    ],
)
def test_what_an_edit_puts_in_place_is_a_part_of_its_own(variant: str, name: str, edit):
    model = double(variant)
    trace = traced(model, Edits({name: edit}))
    parts = split_state(model, trace)
    assert [part.name for part in parts if part.kind == "edit"] == [name]
    assert_close(sum(part.values for part in parts), trace.decoder.output[0])


@pytest.mark.parametrize(
    "part", ["self_attn.heads[1]", "cross_attn.weights", "feed_forward.hidden"]
)
def test_what_is_edited_inside_a_sublayer_is_in_its_own_part(part: str):
    model = double()
    trace = traced(model, Edits({f"decoder.layers.1.{part}": ablate}))
    parts = split_state(model, trace)
    assert not [part.name for part in parts if part.kind == "edit"]
    assert_close(sum(part.values for part in parts), trace.decoder.output[0])


def test_the_last_cross_attention_by_source_token_is_what_its_heads_add(variant: str):
    model, trace = double(variant), traced(double(variant))
    found = direct_by_source(model, trace, WRITTEN[1:])
    weight = model.generator.weight.detach()
    heads = sum(
        part.values
        for part in split_state(model, trace)
        if part.kind == "cross-attention" and part.layer == 2 and part.head is not None
    )
    for row, token in enumerate(WRITTEN[1:]):
        direction = weight[token] - weight.mean(0)
        assert_close(found[row].sum(), heads[row] @ direction)


def test_a_run_of_a_shipped_model_sums_to_rounding():
    run, model = shipped(PAPER)
    parts = split_state(model, run.trace)
    assert run.target_tokens[0] == run.info.tokenizers.target.all_tokens[BOS_ID]
    errors = [
        abs(sum(p.value for p in addends(model, parts, row, step.token)) - step.logits[step.token])
        for row, step in enumerate(run.steps)
    ]
    assert max(errors) < 1e-4


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-alibi"])
def test_the_parts_of_a_decoder_alone_sum_to_its_logits(one_text_checkpoints, name):
    model = shaken(load_checkpoint(one_text_checkpoints / name).model)
    with torch.inference_mode():
        trace = model(None, torch.tensor([[1, 4, 5, 6, 4, 7]]))
    parts = split_state(model, trace)
    assert not any(part.kind == "edit" for part in parts)
    for other in (None, 5):
        found = addends(model, parts, ROW, TOKEN, other)
        logits = trace.logits[0, ROW]
        wanted = logits[TOKEN] - (0 if other is None else logits[other])
        assert sum(part.value for part in found) == pytest.approx(wanted.item(), abs=1e-4)
