"""Modules that keep state between passes: a trace leaves them unchanged."""

import copy
from collections import deque
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.testing import assert_close

import loupe

X = torch.randn(1, 5, 16)
FAR: list[Tensor] = []
"""Tensors that a module keeps outside itself."""


class Attending(nn.Module):
    """One attention, with a method that subclasses override to cache keys and values."""

    def __init__(self) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (f(x).unflatten(-1, (2, 8)).transpose(1, 2) for f in self.maps[:3])
        k, v = self.extended(k, v)
        return self.maps[3](((q @ k.mT / 8**0.5).softmax(-1) @ v).transpose(1, 2).flatten(2))

    def extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return k, v


class InAttributes(Attending):
    k = v = None
    calls = 0

    def extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.calls += 1
        self.k = k if self.k is None else torch.cat([self.k, k], 2)
        self.v = v if self.v is None else torch.cat([self.v, v], 2)
        return self.k, self.v


class InLists(Attending):
    def __init__(self) -> None:
        super().__init__()
        self.past = {"k": [], "v": deque()}
        self.seen = {1}

    def extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.past["k"].append(k)
        self.past["v"].append(v)
        self.seen.add(len(self.past["k"]))
        return torch.cat(self.past["k"], 2), torch.cat(list(self.past["v"]), 2)


class InAnObject(Attending):
    def __init__(self) -> None:
        super().__init__()
        self.cache = SimpleNamespace(k=torch.zeros(1, 2, 0, 8), v=torch.zeros(1, 2, 0, 8))

    def extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.cache.k, self.cache.v = (
            torch.cat([old, new], 2)
            for old, new in zip(vars(self.cache).values(), (k, v), strict=True)
        )
        return self.cache.k, self.cache.v


class InBuffers(Attending):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("k", torch.zeros(1, 2, 64, 8))
        self.register_buffer("v", torch.zeros(1, 2, 64, 8))
        self.register_buffer("n", torch.tensor(0))

    def extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        start, end = int(self.n), int(self.n) + k.size(2)
        self.k[:, :, start:end], self.v.data[:, :, start:end] = k, v
        self.n += k.size(2)
        return self.k[:, :, :end], self.v[:, :, :end]


class Noisy(Attending):
    def extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return functional.dropout(k, 0.2, training=True), v * torch.rand(())


def state(module: nn.Module) -> list:
    """Return everything that a module keeps except its parameters, as text and buffers."""
    kept = {k: v for k, v in vars(module).items() if not k.startswith("_")}
    return [str(kept), {name: x.clone() for name, x in module.named_buffers()}]


@pytest.mark.parametrize("kind", [InAttributes, InLists, InAnObject, InBuffers, Noisy])
@pytest.mark.parametrize("how", [{}, {"check": True}, {"grad": True}])
def test_each_trace_is_a_first_pass_and_leaves_the_module_as_it_was(kind, how):
    torch.manual_seed(1)
    module = kind().eval()
    torch.manual_seed(3)
    expected = kind.forward(copy.deepcopy(module), X)
    torch.manual_seed(3)
    before, drawn = state(module), torch.get_rng_state()

    for _ in range(2):
        run = loupe.trace(module, list("abcde"), inputs=X, record=["maps.3"], **how)
        assert run["attention.weights"].shape[-1] == 5
        assert_close(run["maps.3.output"], expected)
        assert_close(run["attention.weights"] @ run["attention.value"], run["attention.heads"])
        assert run.differs == pytest.approx(0, abs=1e-5)
        assert str(state(module)) == str(before)
        assert torch.equal(torch.get_rng_state(), drawn)


def test_a_cache_that_was_filled_is_read_and_stays_filled():
    module = InAttributes().eval()
    with torch.no_grad():
        module(X)
    run = loupe.trace(module, list("abcde"), inputs=X)
    assert run["attention.weights"].shape == (1, 2, 5, 10)
    assert (module.calls, module.k.shape) == (1, (1, 2, 5, 8))
    edited = loupe.trace(
        module, list("abcde"), inputs=X, edits={"attention.key": lambda x: x.clone()}
    )
    assert_close(edited["attention.weights"], run["attention.weights"])


def test_what_is_kept_outside_of_a_module_is_said():
    class Global(Attending):
        def extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            FAR.append(k * len(FAR))
            return torch.cat(FAR, 2), torch.cat([v] * len(FAR), 2)

    class Learning(Attending):
        @torch.no_grad()
        def extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            self.maps[0].weight += 1
            return k, v

    with pytest.raises(ValueError, match="keeps something outside of itself"):
        loupe.trace(Global().eval(), list("abcde"), inputs=X)
    with pytest.raises(ValueError, match=r"changes the parameter 'maps.0.weight' in place"):
        loupe.trace(Learning().eval(), list("abcde"), inputs=X)
