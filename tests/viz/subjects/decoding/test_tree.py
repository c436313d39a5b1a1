import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from model.decoding.beam import path
from model.text.tokenizer import BOS_ID
from viz.subjects.decoding import tree
from viz.subjects.decoding.paths import decode_path
from viz.subjects.decoding.strategy import Strategy
from viz.subjects.decoding.tree import drawn_steps, read_tree

RECIPE = Strategy("Beam", width=3)


@pytest.mark.parametrize("name", ["english-french-paper", "english-french-headlist"])
def test_each_hypothesis_has_the_row_that_wrote_it(checkpoints_folder, run, unmasked_run, name):
    model = load_checkpoint(checkpoints_folder / name).model
    own = run if name.endswith("paper") else unmasked_run
    search = decode_path(own, model, RECIPE).search
    reading = read_tree(own, model, search)
    assert reading is not None
    source = torch.tensor([own.source.ids])
    nodes = [h for step in search for h in step.hypotheses]
    for node in nodes[:: max(1, len(nodes) // 12)]:
        before = path(search, node.id)[:-1]
        with torch.inference_mode():
            trace = model(source, torch.tensor([[BOS_ID, *before]]))
        row = reading.cross_weights[reading.rows[node.parent]]
        for n, layer in enumerate(trace.decoder.layers):
            assert np.abs(row[n] - layer.cross_attn.weights[0, :, -1].numpy()).max() < 1e-5


def test_what_is_too_much_is_left_out(run, checkpoint, monkeypatch):
    search = decode_path(run, checkpoint.model, RECIPE).search
    assert drawn_steps(search) == len(search)
    monkeypatch.setattr(tree, "MOST_NODES", 20)
    assert drawn_steps(search) == 3
    monkeypatch.setattr(tree, "MOST_NODES", 1)
    assert drawn_steps(search) == 1
    monkeypatch.setattr(tree, "MOST_ROW_WEIGHTS", 10)
    assert read_tree(run, checkpoint.model, search) is None
