import math
import re

import numpy as np
import pytest

from tests.tiny import randn
from viz.subjects.variants.norms import compare_norms, norms_of
from viz.subjects.variants.words.norms import report_norms


def said(found):
    return report_norms(found).verdict


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
    assert "explains all but rounding and eps" in said(norms)


def test_eps_takes_over_where_the_formulas_say():
    """LayerNorm: s/√(s² + 1e-5) = 0.9; the other, of r = √(n/(n − 1)): r·s/(r·s + 1e-6) = 0.9."""
    norms = norms_of(randn(5, 16))
    layer, unbiased = norms.weak_below.values()
    assert layer == pytest.approx(0.9 * math.sqrt(1e-5 / (1 - 0.81)), rel=1e-6)
    assert unbiased == pytest.approx(9e-6 / math.sqrt(16 / 15), rel=1e-6)


def test_the_thresholds_that_are_told_are_crossed_there():
    told = said(norms_of(randn(5, 64)))
    layer, unbiased = (
        float(text.replace("−", "-")) for text in re.findall(r"under ([\d.e−]+\d)", told)
    )
    x = randn(5, 64).double()
    unit = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0)

    def size(std, *, is_unbiased):
        eps = 1e-6 if is_unbiased else 1e-5
        return np.sqrt((_by_hand(unit * std, eps, unbiased=is_unbiased) ** 2).mean())

    for std, is_unbiased in ((layer, False), (unbiased, True)):
        full = size(1e6, is_unbiased=is_unbiased)
        assert size(1.01 * std, is_unbiased=is_unbiased) > 0.9 * full
        assert size(0.99 * std, is_unbiased=is_unbiased) < 0.9 * full


def test_for_vectors_that_hardly_vary_the_factor_does_not_explain_it():
    norms = norms_of(1e-4 * randn(5, 16))
    assert norms.left > 0.1
    assert "explains only a part" in said(norms)


def test_a_checkpoint_is_measured_at_what_its_first_norm_reads(material):
    assert compare_norms(material).factor == math.sqrt(63 / 64)
