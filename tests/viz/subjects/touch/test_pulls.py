"""The pull that the page suggests does what it promises: the row writes the other word."""

import torch

from model.decoding.greedy import greedy
from model.interventions.kinds import Intervention, edits_of
from tests.shipped import PAPER, shipped
from viz.run.axes import all_heads
from viz.subjects.touch.pulls import telling_pull

WEIGHTS = "decoder.layers.*.cross_attn.weights"


def test_the_word_follows_the_pull_in_a_decoding_of_its_own():
    run, model = shipped(PAPER)
    pull = telling_pull(run, model)
    assert pull is not None
    mean = all_heads(run, "cross-attention").mean(axis=(0, 1))
    assert mean[pull.row].argmax() == pull.held
    made = Intervention("point", WEIGHTS, rows=(pull.row,), columns=(pull.to,))
    source = torch.tensor([run.source.ids])
    steps = tuple(greedy(model, source, edits=edits_of([made], model)))
    others = [row for row in range(len(mean)) if mean[row].argmax() == pull.to]
    assert steps[pull.row].token in [run.steps[row].token for row in others]
    assert steps[pull.row].token != run.steps[pull.row].token
