"""Loupe follows a pass through the module's own functions, and ignores its own computations."""

import gc
import math
import weakref

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.testing import assert_close

from model.edits import Edits
from model.foreign.recording import trace_module
from model.foreign.recording.provenance import Provenance
from model.foreign.recording.terms import read_terms

WIDTH, HEADS, N = 16, 2, 5


class Attention(nn.Module):
    """An attention without a residual, whose last projection is a function."""

    def __init__(self, *, bias: Tensor | None = None) -> None:
        super().__init__()
        self.maps = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Parameter(torch.randn(WIDTH, WIDTH) / 4)
        self.bias = bias

    def forward(self, x: Tensor) -> Tensor:
        parts = self.maps(x).chunk(3, dim=-1)
        query, key, value = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts)
        scores = query @ key.mT / math.sqrt(WIDTH // HEADS)
        scores = scores if self.bias is None else scores + self.bias
        heads = scores.softmax(dim=-1) @ value
        return functional.linear(heads.transpose(1, 2).flatten(2), self.out)


def test_attention_after_an_edited_one_is_recorded():
    first, second = Attention(), Attention()
    module, x = nn.Sequential(first, second), torch.randn(1, N, WIDTH)
    plain = trace_module(module, x).attentions
    edits = Edits({"0.heads": lambda heads: 2 * heads})
    edited = trace_module(module, x, edits=edits).attentions
    assert list(edited) == list(plain) == ["0", "1"]
    expected = second.maps(functional.linear(2 * _merged(plain["0"].heads), first.out))
    query = expected[..., :WIDTH].unflatten(-1, (HEADS, -1)).transpose(1, 2)
    assert_close(edited["1"].query, query)


def _merged(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def test_equal_steps_that_read_other_numbers_have_other_terms():
    bias = torch.randn(N, N)

    class Scaled(Attention):
        def forward(self, x: Tensor) -> Tensor:
            made = super().forward(x)
            bias.mul_(2)  # the next layer reads the same tensor
            return made

    module = nn.Sequential(*(Scaled() for _ in range(3)))
    for each in module:
        each.bias = bias
    found = trace_module(module, torch.randn(1, N, WIDTH)).attentions
    assert len(found) == 3
    for i, each in enumerate(found.values()):
        assert_close(each.bias, (bias * 2**i).expand_as(each.bias))


def test_tensors_of_a_pass_are_freed_with_its_record():
    module, x = nn.Sequential(Attention(), Attention()), torch.randn(1, N, WIDTH)
    gc.collect()
    gc.disable()
    try:
        trace = trace_module(module, x)
        kept = [weakref.ref(each.weights) for each in trace.attentions.values()]
        del trace
        assert [each() for each in kept] == [None, None]
    finally:
        gc.enable()


def test_terms_are_read_once_for_equal_layers(monkeypatch):
    read = []

    def counted(*given):
        read.append(given)
        return read_terms(*given)

    monkeypatch.setattr("model.foreign.recording.terms.read_terms", counted)
    layers = [Attention(bias=torch.ones(N, N).triu(1) * -2e4) for _ in range(4)]
    found = trace_module(nn.Sequential(*layers), torch.randn(1, N, WIDTH)).attentions
    assert len(found) == 4
    assert len(read) == 4  # the weights must show that -2e4 masks
    read.clear()
    layers = [
        Attention(bias=torch.zeros(N, N).masked_fill(torch.ones(N, N).triu(1) > 0, -torch.inf))
        for _ in range(4)
    ]
    found = trace_module(nn.Sequential(*layers), torch.randn(1, N, WIDTH)).attentions
    assert len(read) == 1
    assert all(not each.mask[0, 0, 0, 1] and each.mask[0, 0, 1, 0] for each in found.values())


def test_a_change_in_place_leaves_labels_of_other_tensors():
    found, x = Provenance(), torch.randn(1, 4, 3)
    found.begin(x)
    turned = x.transpose(1, 2)
    copy = turned.clone()
    found.follow(Tensor.clone, (turned,), {}, copy)
    row = x[:, 0].copy_(x[:, 1])
    found.follow(Tensor.copy_, (row, x[:, 1]), {}, row)
    changed, kept = found.of(x), found.of(copy)
    assert changed is not None
    assert kept is not None
    assert changed[0, :, 0].tolist() == [1, 1, 2, 3]
    assert kept[0, 0].tolist() == [0, 1, 2, 3]
