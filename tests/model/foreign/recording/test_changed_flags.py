"""Modules whose code path changes after the first trace, so that no stale names are used."""

import copy

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

import loupe
from tests.model.foreign.recording.test_own_modules import IDS, WIDTH, Attention


class Layer(nn.Module):
    def __init__(self, owner: list) -> None:
        super().__init__()
        self.attention, self.one, self.two = Attention(), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.expand, self.contract = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)
        self.owner = owner

    def network(self, x: Tensor) -> Tensor:
        return self.contract(self.expand(x).relu())

    def forward(self, x: Tensor) -> Tensor:
        flags = self.owner[0].flags
        if flags["prenorm"]:
            normed = self.one(x)
            x = x + flags["share"] * self.attention(normed, normed)
            return x + flags["share"] * self.network(self.two(x))
        x = self.one(x + flags["share"] * self.attention(x, x))
        return self.two(x + flags["share"] * self.network(x))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.flags = {"prenorm": True, "factor": WIDTH**0.5, "share": 1.0}
        self.tokens, self.places = nn.Embedding(20, WIDTH), nn.Embedding(16, WIDTH)
        self.layers = nn.ModuleList(Layer([self]) for _ in range(2))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids) * self.flags["factor"] + self.places(torch.arange(ids.size(1)))
        for layer in self.layers:
            x = layer(x)
        return x


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({}, {"prenorm": False}),
        ({"prenorm": False}, {"prenorm": True}),
        ({}, {"factor": 1.0}),
        ({"factor": 1.0}, {"factor": WIDTH**0.5}),
        ({}, {"share": 0.5}),
        ({"prenorm": False}, {"share": 0.5}),
    ],
)
@pytest.mark.parametrize("how", [{}, {"names": "*"}, {"edits": True}])
def test_a_trace_after_a_flag_has_changed_is_that_of_a_fresh_copy(first, then, how):
    torch.manual_seed(1)
    model = Model().eval()
    model.flags |= first
    if "edits" in how:
        how = {"edits": {"source_embedding.output": lambda x: x + 1}}
    loupe.trace(model, inputs=IDS)
    model.flags |= then
    fresh = copy.deepcopy(model)

    found, expected = (loupe.trace(each, inputs=IDS, **how) for each in (model, fresh))

    assert found.names() == expected.names()
    for name in expected:
        assert_close(found[name], expected[name], equal_nan=True, msg=name)
