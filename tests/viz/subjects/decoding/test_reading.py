from dataclasses import replace

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.text.tokenizer import BOS_ID
from viz.subjects.decoding.paths import decode_path
from viz.subjects.decoding.reading import MOST_STEPS, played_steps, read_path
from viz.subjects.decoding.strategy import Fork, Shaping, Strategy


def step_by_step(run, model, ids):
    """Yield the output of a pass over the tokens that each step had before it."""
    source = torch.tensor([run.source.ids])
    with torch.inference_mode():
        for t in range(len(ids)):
            yield model(source, torch.tensor([[BOS_ID, *ids[:t]]]))


@pytest.mark.parametrize("name", ["everyday-paper", "everyday-headlist"])
def test_rows_are_those_that_each_step_saw(checkpoints_folder, run, unmasked_run, name):
    model = load_checkpoint(checkpoints_folder / name).model
    own = run if name.endswith("paper") else unmasked_run
    strategy = Strategy("Sampling", Shaping(2.0), seed=3)
    path = decode_path(own, model, strategy, (Fork(1, 9),))
    count = min(len(path.steps), 7)
    reading = read_path(own, model, path, count)
    for t, trace in enumerate(step_by_step(own, model, path.ids[:count])):
        for n, layer in enumerate(trace.decoder.layers):
            mine = reading.self_weights[n, :, t]
            assert np.abs(mine[:, : t + 1] - layer.self_attn.weights[0, :, -1].numpy()).max() < 1e-5
            assert not mine[:, t + 1 :].any()
            cross = layer.cross_attn.weights[0, :, -1].numpy()
            assert np.abs(reading.cross_weights[n, :, t] - cross).max() < 1e-5
            assert torch.allclose(reading.states[n + 1, t], layer.output[0, -1], atol=1e-5)
        embedded = trace.target_embedding.output[0, -1]
        assert torch.allclose(reading.states[0, t], embedded, atol=1e-6)
    assert reading.cross_mask.all()


def test_no_more_steps_are_played_than_the_browser_can_take(run, checkpoint):
    path = decode_path(run, checkpoint.model, Strategy())
    config = run.info.config
    assert played_steps(config, path, 14) == len(path.steps)
    long = replace(path, steps=path.steps * 30)
    assert played_steps(config, long, 14) == MOST_STEPS
    # The vocabulary's size does not matter: only the likeliest tokens of each step are sent.
    assert played_steps(replace(config, target_vocab_size=500_000), long, 14) == MOST_STEPS
    heads = replace(config, n_decoder_layers=48, n_heads=64)
    count = played_steps(heads, long, 14)
    assert 48 * 64 * count * (count + 14) <= 12_000_000 < 48 * 64 * (count + 1) * (count + 15)


def test_the_models_own_path_is_a_slice_of_the_run(run, checkpoint):
    path = decode_path(run, checkpoint.model, Strategy())
    reading = read_path(run, checkpoint.model, path, 5)
    weights = run.trace.decoder.layers[1].self_attn.weights[0, :, :5, :5].numpy()
    assert np.array_equal(reading.self_weights[1], weights)
