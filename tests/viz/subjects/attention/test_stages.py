import numpy as np
import pytest

from viz.run.axes import KINDS, attention_trace
from viz.run.making import make_run
from viz.subjects.attention.stages import WINDOW, attention_stages


@pytest.mark.parametrize("kind", KINDS)
def test_each_stage_follows_from_the_one_before(run, unmasked_run, kind):
    for each in (run, unmasked_run):
        attention = attention_trace(each, kind, 1)
        stages = attention_stages(each, kind, 1, 2, 0, 0)
        query, key, value = (
            t[0, 2].double().numpy() for t in (attention.query, attention.key, attention.value)
        )
        np.testing.assert_allclose(stages.products, query @ key.T, rtol=1e-4, atol=1e-4)
        scores = query @ key.T / np.sqrt(stages.d_k)
        np.testing.assert_allclose(stages.scores, scores, rtol=1e-4, atol=1e-4)
        allowed = np.broadcast_to(attention.mask[0].numpy(), scores.shape)
        np.testing.assert_array_equal(stages.hidden, ~allowed)
        masked = np.where(allowed, scores, -np.inf)
        assert np.isneginf(stages.masked[~allowed]).all()
        exponentials = np.exp(masked - masked.max(axis=1, keepdims=True))
        weights = exponentials / exponentials.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(stages.weights, weights, atol=1e-5)
        np.testing.assert_allclose(stages.mix, weights @ value, rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(stages.values, attention.value[0, 2].numpy())
        assert stages.first == (0, 0)


def test_a_long_one_is_shown_around_the_cell(checkpoint):
    long = make_run(checkpoint, "cat " * 149, "le chat dort .")
    attention = attention_trace(long, "encoder self-attention", 0)
    last = 150 - WINDOW
    for query, key, first in ((0, 149, (0, last)), (75, 80, (59, 64)), (149, 3, (last, 0))):
        stages = attention_stages(long, "encoder self-attention", 0, 1, query, key)
        assert stages.first == first
        rows, columns = (slice(start, start + WINDOW) for start in first)
        np.testing.assert_array_equal(
            stages.weights, attention.weights[0, 1, rows, columns].numpy()
        )
        np.testing.assert_array_equal(stages.mix, attention.heads[0, 1, rows].numpy())
        np.testing.assert_array_equal(stages.values, attention.value[0, 1, columns].numpy())
