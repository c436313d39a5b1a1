"""Measures of one token of one text, each against another way to the same number."""

import pytest
import torch
from torch.testing import assert_close

from model.checkpoint import load_checkpoint
from model.logit_attribution import addends, split_state
from model.masks import causal_mask
from model.text_measures import (
    TextPass,
    gradient_times_input,
    hidden,
    integrated,
    measure_text,
    zeroed,
)
from tests.tiny import shaken

IDS = torch.tensor([1, 4, 5, 6, 4, 7])
ROW, TOKEN = 5, 8


@pytest.fixture(scope="module", params=["tiny-gpt", "tiny-bert", "tiny-alibi"])
def asked(request, one_text_checkpoints) -> TextPass:
    model = load_checkpoint(one_text_checkpoints / request.param).model.double()
    return TextPass(model, IDS, ROW, TOKEN)


def run(model, ids=IDS, **masks):
    texts = (ids[None], None) if model.config.has_encoder else (None, ids[None])
    return model(*texts, **masks)


def log_probability(model, **masks) -> float:
    with torch.inference_mode():
        return run(model, **masks).logits[0, ROW].log_softmax(-1)[TOKEN].item()


def test_a_token_is_emptied_as_if_its_row_of_the_embedding_were_zero(asked):
    place = 3  # whose token stands nowhere else
    own = log_probability(asked.model)
    weight = asked.model.embedding_of(asked.side).weight
    kept = weight.data[IDS[place]].clone()
    generator = asked.model.generator.weight
    untied, asked.model.generator.weight = generator, torch.nn.Parameter(generator.data.clone())
    try:
        weight.data[IDS[place]] = 0
        without = log_probability(asked.model)
    finally:
        weight.data[IDS[place]] = kept
        asked.model.generator.weight = untied
    assert zeroed(asked)[place].item() == pytest.approx(own - without, abs=1e-9)


def test_a_token_is_hidden_as_a_mask_hides_it(asked):
    own, place, count = log_probability(asked.model), 2, len(IDS)
    open_keys = torch.ones(count, count, dtype=torch.bool)
    open_keys[:, place] = False
    open_keys |= torch.eye(count, dtype=torch.bool)
    if asked.side == "target":
        mask = causal_mask(count, window=asked.model.config.window) & open_keys
        without = log_probability(asked.model, target_mask=mask)
    else:
        without = log_probability(asked.model, source_mask=open_keys[None])
    assert hidden(asked)[place].item() == pytest.approx(own - without, abs=1e-9)


def test_gradients_answer_to_a_small_change(asked):
    step, place = 1e-3, 4  # a root-mean-square norm computes in float32
    tokens = asked.embedded()
    ends = tokens.repeat(2, 1, 1)
    ends[0, place] *= 1 - step
    ends[1, place] *= 1 + step
    before, after = asked.log_probabilities(2, {asked.tokens_name: lambda _: ends}).tolist()
    found = gradient_times_input(asked)[place].item()
    assert found == pytest.approx((after - before) / (2 * step), rel=1e-2, abs=2e-3)


def test_integrated_gradients_sum_to_the_whole_difference(asked):
    found = integrated(asked, close=0.02, most_steps=1024)
    assert abs(found.error) <= 0.02
    assert found.values.abs().max() > 0.02


def test_rollout_is_the_product_of_the_layers(asked):
    with torch.inference_mode():
        trace = run(asked.model)
    found = measure_text(asked.model, trace, (0, 1))
    stack = trace.stack_of(asked.side)
    one, two = (layer.self_attn.weights[0].mean(0) / 2 + torch.eye(6) / 2 for layer in stack.layers)
    assert_close(found["rollout"], two @ one)
    assert_close(found["rollout"].sum(-1), torch.ones(6, dtype=torch.float64))
    assert_close(found["head"], stack.layers[0].self_attn.weights[0, 1])
    attention = stack.layers[-1].self_attn
    module = asked.model.get_submodule(
        f"{'decoder' if asked.side == 'target' else 'encoder'}.layers.1.self_attn"
    )
    only = attention.heads.clone()
    only[0] = (
        attention.weights[0, :, :, [2]]
        * attention.value[0, [attention.key_head(h) for h in range(4)]][:, [2]]
    )
    brought = only.transpose(1, 2).flatten(2)[0] @ module.output.weight.T
    assert_close(found["vectors"][:, 2], brought.norm(dim=-1).detach())


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-alibi"])
def test_the_parts_of_a_decoder_alone_sum_to_its_logits(one_text_checkpoints, name):
    model = shaken(load_checkpoint(one_text_checkpoints / name).model)
    with torch.inference_mode():
        trace = run(model)
    parts = split_state(model, trace)
    assert not any(part.kind == "edit" for part in parts)
    for other in (None, 5):
        found = addends(model, parts, ROW, TOKEN, other)
        logits = trace.logits[0, ROW]
        wanted = logits[TOKEN] - (0 if other is None else logits[other])
        assert sum(part.value for part in found) == pytest.approx(wanted.item(), abs=1e-4)
