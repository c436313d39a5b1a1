import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from viz.subjects.compare.divergence import jensen_shannon, share_moved


def rows(seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).dirichlet(np.full(7, 0.3), size=(2, 3))
    drawn[..., 2] = 0
    return drawn / drawn.sum(axis=-1, keepdims=True)


def test_agrees_with_scipy():
    p, q = rows(0), rows(1)
    expected = np.array(
        [
            [jensenshannon(x, y, base=2) ** 2 for x, y in zip(*pair, strict=True)]
            for pair in zip(p, q, strict=True)
        ]
    )
    np.testing.assert_allclose(jensen_shannon(p, q), expected, atol=1e-12)


def test_is_nothing_for_the_same_and_a_bit_for_nothing_in_common():
    p = rows(0)
    assert (jensen_shannon(p, p) == 0).all()
    one, other = np.array([[1.0, 0, 0]]), np.array([[0, 0.5, 0.5]])
    assert jensen_shannon(one, other) == pytest.approx(1)
    assert share_moved(one, other) == 1


def test_half_of_the_weight_that_moves_is_half():
    one, other = np.array([[1.0, 0]]), np.array([[0.5, 0.5]])
    assert share_moved(one, other) == pytest.approx(0.5)
    # H((.75, .25)) less half of H((.5, .5)), by hand
    expected = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25)) - 0.5
    assert jensen_shannon(one, other) == pytest.approx(expected)
