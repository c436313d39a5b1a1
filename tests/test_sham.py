"""The pretend device fails where a GPU would, and computes the same numbers as the CPU."""

import pytest
import torch

from tests.sham import SHAM, sham_device


def test_it_computes_the_same_and_says_that_it_is_another_device() -> None:
    with sham_device():
        here = torch.randn(3, 4)
        there = here.to(SHAM)
        assert there.device.type == torch.tensor([1.0], device=SHAM).device.type == SHAM
        assert torch.equal(
            (there @ there.T + here.sum())[[2, 0]].cpu(), (here @ here.T + here.sum())[[2, 0]]
        )
        assert there[torch.tensor([1])].tolist() == here[[1]].tolist()


def test_it_fails_where_a_gpu_would() -> None:
    with sham_device(has_float64=False):
        here = torch.randn(3, 4)
        there = here.to(SHAM)
        for mixed in (
            lambda: there + here,
            lambda: here[there.argmax(dim=1)],
            lambda: torch.cat([here, there]),
        ):
            with pytest.raises(RuntimeError, match="on the same device"):
                mixed()
        with pytest.raises(RuntimeError, match="numpy"):
            there.numpy()
        with pytest.raises(TypeError, match="no float64"):
            there.double()
