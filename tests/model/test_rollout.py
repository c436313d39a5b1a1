import torch
from torch.testing import assert_close

from model.edits import Edits, replace
from model.rollout import mean_weights, rollout
from tests.model.by_hand import double, traced
from tests.tiny import tiny_model


def test_rollout_by_hand():
    # One layer each, two source and two target tokens, weights that are set.
    weights = {
        "encoder.layers.0.self_attn": [[1.0, 0.0], [0.5, 0.5]],
        "decoder.layers.0.self_attn": [[1.0, 0.0], [0.2, 0.8]],
        "decoder.layers.0.cross_attn": [[0.0, 1.0], [1.0, 0.0]],
    }
    edits = Edits(
        {
            f"{n}.weights": replace(torch.tensor(w, dtype=torch.float64).expand(1, 4, 2, 2))
            for n, w in weights.items()
        }
    )
    model = tiny_model(n_encoder_layers=1, n_decoder_layers=1).double()
    with torch.inference_mode():
        trace = model(torch.tensor([[3, 4]]), torch.tensor([[1, 5]]), edits=edits)
    found = rollout(trace)
    # Memory: half itself, half its weights. Row 0 takes half of the second, row 1 of the first.
    memory = [[1.0, 0.0], [0.25, 0.75]]
    assert_close(found.source.tolist(), [[x / 2 for x in memory[1]], [x / 2 for x in memory[0]]])
    assert_close(found.target.tolist(), [[0.5, 0.0], [0.05, 0.45]])


def test_rows_sum_to_1_in_every_variant(variant: str):
    found = rollout(traced(double(variant)))
    assert (found.source >= 0).all()
    assert_close(found.source.sum(1) + found.target.sum(1), torch.ones(4).double())


def test_mean_weights_are_of_one_layer(variant: str):
    trace = traced(double(variant))
    found = mean_weights(trace, 2)
    heads = trace.decoder.layers[2].cross_attn.weights[0]
    assert_close(found, (heads[0] + heads[1] + heads[2] + heads[3]) / 4)
    assert_close(found.sum(1), torch.ones(4).double())
