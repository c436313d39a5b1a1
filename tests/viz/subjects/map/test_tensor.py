import numpy as np
import pytest
import torch

from model.traces import named_tensors
from viz.run.tensors import run_tensor_names, run_tensors
from viz.subjects.map import words
from viz.subjects.map.describe import describe
from viz.subjects.map.tensor import tensor_view


def test_all_that_was_captured_can_be_seen(run):
    captured = [name for name, _ in named_tensors(run.trace)]
    assert [name for name, _ in run_tensors(run)] == [*captured, "probabilities"]
    assert run_tensor_names(run) == (*captured, "probabilities")
    for name in captured:
        view = tensor_view(run, name)
        assert view is not None
        assert view.sentence


def test_probabilities_are_the_softmax_of_the_logits(run):
    view = tensor_view(run, "probabilities")
    assert view is not None
    expected = torch.exp(run.trace.logits[0].double().log_softmax(dim=-1)).numpy()
    np.testing.assert_allclose(view.array, expected, atol=1e-6)
    assert view.is_probability
    assert view.row_tokens == run.target_tokens[1:]
    assert view.column_tokens == run.info.tokenizers.target.all_tokens
    for step, row in zip(run.steps, view.array, strict=True):
        assert row[step.token] == pytest.approx(np.exp(step.log_probability), abs=1e-5)


def test_only_values_that_are_all_positive_are_said_to_be(run):
    for name in ("decoder.layers.0.feed_forward.hidden", "decoder.layers.0.feed_forward.output"):
        view = tensor_view(run, name)
        assert view is not None
        smallest, largest = view.extremes
        assert (smallest, largest) == (view.array.min(), view.array.max())
        assert ("None of its values is below 0" in view.sentence) == (smallest >= 0)
    assert "None" not in words.tensor(run.info.config, "x.feed_forward.hidden", is_positive=False)


def test_a_tensor_and_its_block_say_the_same_of_it(run):
    blocks = {block.id: block for block in describe(run).blocks}
    for tensor, block in (
        ("source_embedding.tokens", "source_embedding"),
        ("target_embedding.tokens", "target_embedding"),
        ("target_embedding.positions", "target_embedding.positions"),
        ("source_embedding.output", "source_embedding.sum"),
        ("output", "output"),
    ):
        view = tensor_view(run, tensor)
        assert view is not None
        assert view.sentence == blocks[block].sentence
