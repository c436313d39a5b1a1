import numpy as np
import pytest
import torch

from model.decoding.distribution import best_first
from model.decoding.steps import steps_of
from viz.subjects.decoding.ranking import (
    MOST_WHOLE,
    rank_steps,
    shown_shaping,
)
from viz.subjects.decoding.strategy import Shaping

TEMPERATURES = (0.05, 1.0, 5.0)


@pytest.fixture(scope="module")
def steps():
    generator = torch.Generator().manual_seed(1)
    logits = 4 * torch.randn(3, 50, generator=generator)
    logits[1, 7] = -torch.inf
    logits[2, :] = 0.0
    return steps_of(logits, (3, 7, 49))


def test_the_best_come_first_and_the_written_one_has_its_rank(steps):
    ranking = rank_steps(steps, TEMPERATURES, most=8)
    assert ranking.vocabulary_size == 50
    for t, step in enumerate(steps):
        order = best_first(step.logits, 50).tolist()
        assert ranking.tokens[t].tolist() == order[:8]
        assert ranking.ranks[t] == order.index(step.token) + 1
        assert np.array_equal(ranking.logits[t], step.logits.numpy()[order[:8]])


@pytest.mark.parametrize("most", [8, 50, 200])
def test_a_softmax_and_its_entropy_follow_from_the_best_and_the_sums(steps, most):
    ranking = rank_steps(steps, TEMPERATURES, most=most)
    for t, step in enumerate(steps):
        for i, temperature in enumerate(TEMPERATURES):
            whole = (step.logits.double() / temperature).softmax(dim=-1).numpy()
            scaled = (ranking.logits[t].astype(float) - ranking.logits[t, 0]) / temperature
            total = np.exp(scaled).sum() + ranking.sums[t, i]
            shares = np.exp(scaled) / total
            assert shares == pytest.approx(whole[ranking.tokens[t]], abs=1e-12)
            assert ranking.sums[t, i] / total == pytest.approx(1 - shares.sum(), abs=1e-12)
            known = (np.exp(scaled) * np.where(np.exp(scaled) > 0, scaled, 0.0)).sum()
            entropy = np.log(total) - (known + ranking.weighted[t, i]) / total
            expected = -(whole[whole > 0] * np.log(whole[whole > 0])).sum()
            assert entropy == pytest.approx(expected, abs=1e-9)


def test_a_shaping_is_shown_at_a_temperature_that_the_others_are_summed_for():
    drawn = Shaping(0.73)
    for shaping in (Shaping(1.9), drawn):
        assert shown_shaping(shaping, drawn, 50_000) == shaping
    assert shown_shaping(Shaping(0.78, 5, 0.9), drawn, 50_000) == Shaping(0.8, 5, 0.9)
    assert shown_shaping(Shaping(0.78), drawn, MOST_WHOLE) == Shaping(0.78)
