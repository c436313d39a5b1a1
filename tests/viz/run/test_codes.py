"""Weights in two bytes each, and shrunk matrices."""

import numpy as np
import torch

from viz.run.codes import CODE_MASKED, CODE_NAN, CODE_ONE, encode_weights, reduce_matrices


def test_a_code_is_the_weight_rounded_to_50_000ths():
    weights = np.array([[0.0, 0.000009, 0.000011, 0.8431, 0.99998, 1.0]], dtype=np.float32)
    codes = encode_weights(weights, np.ones((1, 6), dtype=bool))
    assert codes.tolist() == [[0, 0, 1, 42155, 49999, 50000]]
    assert np.abs(codes / CODE_ONE - weights).max() <= 0.00001


def test_a_masked_zero_is_told_from_a_zero_and_from_a_leak():
    weights = np.array([[0.0, 0.0, 0.5, np.nan]], dtype=np.float32)
    mask = np.array([[True, False, False, False]])
    assert encode_weights(weights, mask).tolist() == [[0, CODE_MASKED, CODE_ONE // 2, CODE_NAN]]


def test_a_reduced_matrix_keeps_the_largest_of_each_part():
    weights = torch.arange(60.0).reshape(1, 6, 10)
    small = reduce_matrices(weights, 4)
    assert small.shape == (1, 4, 4)
    rows, columns = ([0, 1, 3, 4, 6], [0, 2, 5, 7, 10])
    for i in range(4):
        for j in range(4):
            part = weights[0, rows[i] : rows[i + 1], columns[j] : columns[j + 1]]
            assert small[0, i, j] == part.max()
    assert reduce_matrices(weights, 20).equal(weights)
