"""Attentions that are written out agree with torch's own on the same tensors."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.testing import assert_close

from model.edits import Edits
from model.foreign.recording import RecordedAttention, trace_module

B, H, N, M, D = 2, 4, 6, 5, 8
CAUSAL = torch.ones(N, N, dtype=torch.bool).tril()


class Written(nn.Module):
    """A module of one function, which receives queries, keys and values directly."""

    def __init__(self, attend):
        super().__init__()
        self.attend = attend

    def forward(self, *given: Tensor) -> Tensor:
        return self.attend(*given)


def masked_fill(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(k.size(-1)))
    scores = scores.masked_fill(CAUSAL.view(1, 1, N, N) == 0, float("-inf"))
    return functional.dropout(functional.softmax(scores, dim=-1), 0.5, training=False) @ v


def far_below(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(D)
    return torch.matmul(scores.masked_fill(~CAUSAL, -1e9).softmax(dim=-1), v)


def added_in_place(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.matmul(q, k.transpose(-2, -1))
    scores /= math.sqrt(D)
    scores += torch.zeros(N, N).masked_fill(~CAUSAL, -10_000.0)
    return torch.matmul(nn.Softmax(dim=3)(scores), v)


def where(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    lowest = torch.tensor(torch.finfo(q.dtype).min)
    scores = torch.where(CAUSAL, (q / math.sqrt(D)) @ k.mT, lowest)
    return scores.softmax(-1) @ v


def einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    scores = torch.einsum("bqhd, bkhd -> bhqk", q, k) / math.sqrt(D)
    weights = scores.masked_fill(~CAUSAL, -torch.inf).softmax(dim=-1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v).transpose(1, 2)


def merged_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (x.flatten(0, 1) for x in (q, k, v))
    added = torch.zeros(B * H, 1, N).expand(-1, N, -1)
    scores = torch.baddbmm(added, q, k.transpose(1, 2), beta=1.0, alpha=1 / math.sqrt(D))
    weights = functional.softmax(scores.view(B, H, N, N).masked_fill(~CAUSAL, -1e9), dim=-1)
    return torch.bmm(weights.view(B * H, N, N), v).view(B, H, N, D)


WAYS = (masked_fill, far_below, added_in_place, where, einsum, merged_heads)


def usual(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=CAUSAL)


@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_write_an_attention_is_torchs_own(way):
    given = torch.randn(3, B, H, N, D).unbind()

    trace = trace_module(Written(way), *given)

    caught, expected = trace["attention"], trace_module(Written(usual), *given)["attention"]
    assert torch.equal(trace.output, way(*given))
    assert torch.equal(caught.mask, CAUSAL[None, None])
    assert caught.bias is None
    assert trace.difference == 0
    factor = 1.0 if way is where else 1 / math.sqrt(D)
    assert caught.scale == pytest.approx(factor)
    for part in ("key", "value", "scores", "weights", "heads"):
        assert_close(getattr(caught, part), getattr(expected, part), msg=part)


@pytest.mark.parametrize("way", WAYS)
def test_edits_are_those_of_torchs_own(way):
    given = torch.randn(3, B, H, N, D).unbind()
    edits = {
        "value[1]": torch.zeros_like,
        "scores": lambda x: x.index_fill(-1, torch.tensor(2), -torch.inf),
        "mask": lambda x: x.index_fill(-1, torch.tensor(4), value=False),
        "weights[2]": lambda x: torch.full_like(x, 1 / N),
        "heads[3]": torch.zeros_like,
    }
    for name, edit in edits.items():
        made, expected = (
            trace_module(Written(each), *given, edits=Edits({f"attention.{name}": edit}))
            for each in (way, usual)
        )
        assert_close(made.output, expected.output, msg=name)
        assert (made.output - way(*given)).abs().max() > 0.01, name


def test_one_head_of_keys_for_all_queries():
    def shared(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        weights = torch.einsum("bhqd,bkd->bhqk", q, k).mul(0.5).softmax(dim=-1)
        return torch.einsum("bhqk,bkd->bqhd", weights, v)

    query, key, value = torch.randn(B, H, N, D), torch.randn(B, M, D), torch.randn(B, M, 3)

    trace = trace_module(Written(shared), query, key, value)

    caught = trace["attention"]
    assert (caught.key.shape, caught.value.shape) == ((B, 1, M, D), (B, 1, M, 3))
    assert caught.scale == 0.5
    assert_close(caught.heads.transpose(1, 2), shared(query, key, value))


def test_what_is_added_is_a_bias_and_what_bends_a_cap():
    bias = torch.randn(1, H, N, N)

    def bent(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = 3.0 * torch.tanh(q @ k.mT * 0.4 / 3.0) + bias
        return scores.softmax(dim=-1) @ v

    caught = trace_module(Written(bent), *torch.randn(3, B, H, N, D).unbind())["attention"]

    assert caught.softcap == pytest.approx(3.0)
    assert caught.scale == pytest.approx(0.4)
    assert_close(caught.bias, bias)
    assert_close(caught.scores.softmax(dim=-1), caught.weights)


def test_one_head_without_an_axis_for_it():
    def single(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (q @ k.mT).softmax(dim=-1) @ v

    query, key, value = torch.randn(3, B, N, D).unbind()

    assert trace_module(Written(single), query, key, value)["attention"].heads.shape[:2] == (B, 1)
    query, key, value = (x[0] for x in (query, key, value))
    caught: RecordedAttention = trace_module(Written(single), query, key, value)["attention"]
    assert_close(caught.heads[0, 0], single(query, key, value))


def test_a_map_of_scores_that_is_no_scale_is_no_attention():
    mix = torch.randn(H, H)

    def talking(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = torch.einsum("bhqk,hg->bgqk", q @ k.mT, mix)
        return scores.softmax(dim=-1) @ v

    def turned(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (q @ k.mT).transpose(-2, -1).contiguous().softmax(dim=-1) @ v

    for way in (talking, turned):
        with pytest.raises(ValueError, match="no attention could be recorded"):
            trace_module(Written(way), *torch.randn(3, B, H, N, D).unbind())
