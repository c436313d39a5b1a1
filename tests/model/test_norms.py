import pytest
import torch
from torch.testing import assert_close

from model.norms import UnbiasedStdNorm
from tests.tiny import randn, shaken


@pytest.mark.parametrize("eps", [1e-6, 0.5])
def test_unbiased_std_norm_is_numpys(eps: float):
    norm = shaken(UnbiasedStdNorm(16, eps).double())
    x = randn(2, 3, 16, dtype=torch.float64)
    values = x.numpy()
    mean = values.mean(axis=-1, keepdims=True)
    std = values.std(axis=-1, ddof=1, keepdims=True)
    expected = norm.weight.detach().numpy() * (values - mean) / (std + eps)
    expected = expected + norm.bias.detach().numpy()
    assert_close(norm(x).detach(), torch.from_numpy(expected), rtol=0, atol=1e-12)


def test_a_constant_vector_becomes_zero():
    assert torch.equal(UnbiasedStdNorm(4, 1e-6)(torch.full((1, 4), 3.0)), torch.zeros(1, 4))
