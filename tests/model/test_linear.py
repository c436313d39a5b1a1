"""Linear maps agree with float64, in both ways of computing them."""

import pytest
import torch
from torch import Tensor, nn

from model.linear import Linear, store_by_input


def exact(linear: nn.Linear, x: Tensor) -> Tensor:
    """Multiply and add in double precision."""
    product = x.double() @ linear.weight.detach().double().T
    return product if linear.bias is None else product + linear.bias.detach().double()


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (1, 8), (3, 40), (2, 0), (64,), ()])
@pytest.mark.parametrize("bias", [True, False])
def test_gives_the_product(shape: tuple[int, ...], bias: bool):
    torch.manual_seed(1)
    linear = Linear(512, 768, bias=bias)
    x = torch.randn(*shape, 512)
    with torch.inference_mode():
        found = linear(x)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found.double(), exact(linear, x), rtol=1e-5, atol=1e-5)


def test_reads_rows_that_do_not_lie_together():
    torch.manual_seed(1)
    linear = Linear(512, 768)
    x = torch.randn(512, 60).T[::2]
    with torch.no_grad():
        found = linear(x)
    torch.testing.assert_close(found.double(), exact(linear, x), rtol=1e-5, atol=1e-5)


def test_gradients_are_torchs_own():
    torch.manual_seed(1)
    linear, x = Linear(512, 768), torch.randn(40, 512, requires_grad=True)
    linear(x).square().sum().backward()
    grad, x.grad = x.grad, None
    nn.functional.linear(x, linear.weight, linear.bias).square().sum().backward()
    assert grad is not None
    assert torch.equal(grad, x.grad)


def test_other_types_are_computed_in_their_own():
    linear = Linear(512, 768).double()
    x = torch.randn(40, 512, dtype=torch.float64)
    with torch.inference_mode():
        assert torch.equal(linear(x), nn.functional.linear(x, linear.weight, linear.bias))


@pytest.mark.parametrize("rows", [1, 40])
def test_large_matrices_that_are_stored_by_input_are_the_same_matrices(rows: int):
    torch.manual_seed(1)
    large, small = Linear(512, 768), Linear(512, 40)
    x = torch.randn(rows, 512)
    before, expected = large.weight.detach().clone(), exact(large, x)
    store_by_input(nn.Sequential(large, small))
    assert large.weight.stride() == (1, 768)
    assert small.weight.is_contiguous()
    assert large.weight.equal(before)
    with torch.inference_mode():
        torch.testing.assert_close(large(x).double(), expected, rtol=1e-5, atol=1e-5)


def test_a_matrix_that_two_parts_share_stays_one():
    first, second = Linear(512, 768), Linear(512, 768)
    second.weight = first.weight
    store_by_input(nn.Sequential(first, second))
    assert first.weight is second.weight
    assert first.weight.stride() == (1, 768)
