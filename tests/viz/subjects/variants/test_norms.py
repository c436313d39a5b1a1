import math

import numpy as np
import pytest

from tests.tiny import randn
from viz.subjects.variants.norms import compare_norms, norms_of


def _by_hand(x, eps, *, unbiased):
    x = x.double().numpy()
    centred = x - x.mean(axis=-1, keepdims=True)
    if unbiased:
        return centred / (
            np.sqrt((centred**2).sum(axis=-1, keepdims=True) / (x.shape[-1] - 1)) + eps
        )
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)


def test_both_norms_by_hand():
    x = 3 * randn(5, 16) + 1
    a, b = _by_hand(x, 1e-5, unbiased=False), _by_hand(x, 1e-6, unbiased=True)
    norms = norms_of(x)
    assert norms.difference == pytest.approx(np.abs(a - b).max(), rel=1e-4)
    assert norms.factor == math.sqrt(15 / 16)
    assert norms.ratio == pytest.approx(norms.factor, rel=1e-4)
    assert norms.left < 1e-4
    assert "explains all but rounding and eps" in norms.verdict


def test_eps_takes_over_where_the_formulas_say():
    """LayerNorm: s/sqrt(s² + 1e-5) = 0.9 at s = 0.0065; the other: s'/(s' + 1e-6) = 0.9/factor."""
    layer, unbiased = norms_of(randn(5, 16)).weak_below.values()
    step = 10**0.2  # of the scales that are tried
    assert layer <= 0.9 / math.sqrt(1 - 0.81) * math.sqrt(1e-5) < layer * step
    needed = 0.9 / math.sqrt(15 / 16)
    assert unbiased <= needed / (1 - needed) * 1e-6 * math.sqrt(15 / 16) < unbiased * step


def test_for_vectors_that_hardly_vary_the_factor_does_not_explain_it():
    norms = norms_of(1e-4 * randn(5, 16))
    assert norms.left > 0.1
    assert "explains only a part" in norms.verdict


def test_a_checkpoint_is_measured_at_what_its_first_norm_reads(material):
    assert compare_norms(material).factor == math.sqrt(63 / 64)
