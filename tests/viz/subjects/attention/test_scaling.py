import math

import numpy as np
import pytest

from viz.run.axes import KINDS, attention_trace, layer_count
from viz.subjects.attention.scaling import scaling


def test_at_the_root_of_d_k_the_rows_are_those_of_the_run(run):
    d_k = run.info.config.d_k
    found = scaling(run, "cross-attention", 1, 2, 3)
    middle = len(found.divisors) // 2
    assert found.divisors[[0, middle, -1]] == pytest.approx([1, math.sqrt(d_k), d_k])
    rows = [
        row[mask]
        for kind in KINDS
        for layer in range(layer_count(run.info.config, kind))
        for head in attention_trace(run, kind, layer).weights[0].double()
        for row, mask in zip(
            head, attention_trace(run, kind, layer).mask[0].expand_as(head), strict=True
        )
        if mask.sum() > 1
    ]
    assert found.rows == len(rows)
    entropy = np.mean([-(row * row.clamp_min(1e-300).log()).sum().item() for row in rows])
    gradient = np.mean([(row * (1 - row)).sum().item() for row in rows])
    assert found.entropy[middle] == pytest.approx(entropy, abs=1e-5)
    assert found.gradient[middle] == pytest.approx(gradient, abs=1e-5)
    assert found.saturated[middle] == pytest.approx(np.mean([row.max() > 0.99 for row in rows]))


def test_products_are_those_of_the_selected_row(run):
    attention = attention_trace(run, "decoder self-attention", 0)
    found = scaling(run, "decoder self-attention", 0, 1, 2)
    scores = attention.scores[0, 1, 2].double() * math.sqrt(run.info.config.d_k)
    np.testing.assert_allclose(found.products, scores, rtol=1e-5, atol=1e-4)
    assert found.allowed.tolist() == [True, True, True] + [False] * (len(found.products) - 3)


def test_the_variance_is_over_the_cells_that_the_head_may_read(run):
    for kind in KINDS:
        attention = attention_trace(run, kind, 0)
        query, key = attention.query[0].double().numpy(), attention.key[0].double().numpy()
        for head in range(run.info.config.n_heads):
            products = query[head] @ key[head].T
            mask = np.broadcast_to(attention.mask[0].numpy(), products.shape)
            found = scaling(run, kind, 0, head, 0).variance
            assert found == pytest.approx(products[mask].var())


def test_smaller_divisors_leave_less_choice_and_less_to_learn_by(run):
    found = scaling(run, "encoder self-attention", 0, 0, 1)
    assert (np.diff(found.entropy) > 0).all()
    assert (np.diff(found.gradient) > 0).all()
    assert (np.diff(found.saturated) <= 0).all()
