import math

import numpy as np
import pytest
import torch

from tests.tiny import SOURCE, tiny_model
from viz.subjects.decoding.lens import read_lens

IDS = (5, 6, 5, 7)


@pytest.mark.parametrize("variant", ["paper", "prenorm"])
def test_each_depth_is_read_by_the_final_norm_and_projection(variant: str):
    model = tiny_model(variant)
    with torch.inference_mode():
        trace = model(SOURCE[:1], torch.tensor([[1, *IDS[:-1]]]))
    layers = trace.decoder.layers
    states = torch.cat([trace.target_embedding.output, *(layer.output for layer in layers)])
    lens = read_lens(model, states, IDS, best=3)
    assert lens.names == ("embedding", "layer 0", "layer 1", "layer 2")
    weight, bias = (p.detach().double().numpy() for p in model.generator.parameters())
    for depth, state in enumerate(states.double().numpy()):
        if variant == "prenorm":
            state = normalised(model.decoder.norm, state)
        logits = state @ weight.T + bias
        shares = np.exp(logits - logits.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        for step, token in enumerate(IDS):
            order = np.argsort(-shares[step], kind="stable")
            assert lens.top_tokens[depth, step].tolist() == order[:3].tolist()
            assert lens.top_probabilities[depth, step].numpy() == pytest.approx(
                shares[step][order[:3]], abs=1e-5
            )
            assert lens.ranks[depth, step] == list(order).index(token) + 1
            assert lens.probabilities[depth, step].item() == pytest.approx(
                shares[step, token], abs=1e-5
            )


def normalised(norm, state):
    weight, bias = (p.detach().double().numpy() for p in norm.parameters())
    centred = state - state.mean(-1, keepdims=True)
    return weight * centred / (state.std(-1, ddof=1, keepdims=True) + 1e-6) + bias


def test_the_last_depth_is_the_models_own_answer(run, checkpoint):
    decoder = run.trace.decoder
    states = torch.cat([run.trace.target_embedding.output, *(x.output for x in decoder.layers)])
    lens = read_lens(checkpoint.model, states, [step.token for step in run.steps])
    assert lens.ranks[-1].tolist() == [step.rank + 1 for step in run.steps]
    assert lens.top_tokens[-1, :, 0].tolist() == [step.candidates(1)[0].token for step in run.steps]
    written = [math.exp(step.log_probability) for step in run.steps]
    assert lens.probabilities[-1].tolist() == pytest.approx(written, abs=1e-6)


def test_equals_are_counted_in_the_order_of_their_ids():
    model = tiny_model()
    for parameter in model.generator.parameters():
        parameter.data.zero_()
    lens = read_lens(model, torch.zeros(1, 2, 16), (4, 0), best=2)
    assert lens.ranks.tolist() == [[5, 1]]
    assert lens.top_tokens.tolist() == [[[0, 1], [0, 1]]]
