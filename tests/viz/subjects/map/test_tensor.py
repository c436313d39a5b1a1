import numpy as np
import pytest
import torch

from model.traces import named_tensors
from viz.run.tensors import run_tensor_names, run_tensors
from viz.subjects.map.tensor import tensor_view


def test_all_that_was_captured_can_be_seen(run):
    captured = [name for name, _ in named_tensors(run.trace)]
    assert [name for name, _ in run_tensors(run)] == [*captured, "probabilities"]
    assert run_tensor_names(run) == (*captured, "probabilities")
    for name in captured:
        view = tensor_view(run, name)
        assert view is not None


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


def test_the_least_and_the_most_of_a_tensor_are_its_own(run):
    view = tensor_view(run, "decoder.layers.0.feed_forward.hidden")
    assert view is not None
    assert view.extremes == (view.array.min(), view.array.max())
