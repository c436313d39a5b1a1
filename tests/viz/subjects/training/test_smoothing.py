import numpy as np
import pytest
import torch

from viz.run.record import Run
from viz.subjects.training.smoothing import (
    best_probability,
    least_loss,
    loss_at,
    token_losses,
)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
def test_the_loss_is_that_of_torch(smoothing: float):
    size, given = 7, np.array([0.01, 0.3, 0.9, 0.999])
    for probability, found in zip(given, loss_at(given, size, smoothing), strict=True):
        others = (1 - probability) / (size - 1)
        logits = torch.tensor([[probability, *[others] * (size - 1)]]).double().log()
        wanted = torch.nn.functional.cross_entropy(
            logits, torch.tensor([0]), label_smoothing=smoothing
        )
        assert found == pytest.approx(wanted.item())


def test_the_least_loss_is_where_it_is_said_to_be():
    fine = np.linspace(0.5, 0.9999, 50_000)
    losses = loss_at(fine, 11, 0.2)
    assert fine[losses.argmin()] == pytest.approx(best_probability(11, 0.2), abs=1e-4)
    assert losses.min() == pytest.approx(least_loss(11, 0.2), abs=1e-6)
    assert loss_at(np.array([0.9999]), 11, 0.2)[0] > 1.2 * least_loss(11, 0.2)


def test_without_smoothing_nothing_is_the_least_loss():
    assert least_loss(11, 0.0) == 0
    assert best_probability(11, 0.0) == 1


def test_the_tokens_of_a_run_cost_what_torch_says(run: Run):
    found = token_losses(run, 0.1)
    assert [token.token for token in found] == list(run.target_tokens[1:])
    for step, token in zip(run.steps, found, strict=True):
        wanted = torch.nn.functional.cross_entropy(
            step.logits.double()[None], torch.tensor([step.token]), label_smoothing=0.1
        )
        assert token.loss == pytest.approx(wanted.item())
        assert token.probability == pytest.approx(step.logits.softmax(-1)[step.token].item())
