"""Attentions by flex_attention agree with torch's scaled dot-product attention."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.testing import assert_close

from model.edits import Edits
from model.foreign.recording import trace_module

B, H, N, D = 2, 4, 6, 8
CAUSAL = torch.ones(N, N, dtype=torch.bool).tril()
PLACES = torch.arange(N)
DISTANCE = PLACES[:, None] - PLACES

pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")


class Flexible(nn.Module):
    """A module that receives queries, keys and values directly."""

    def __init__(self, **options):
        super().__init__()
        self.options = options

    def forward(self, *given: Tensor) -> Tensor:
        causal = create_block_mask(lambda _b, _h, i, j: i >= j, None, None, N, N, device="cpu")
        return flex_attention(*given, block_mask=causal, **self.options)


class Usual(Flexible):
    def forward(self, *given: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(*given, **self.options)


def test_what_is_added_to_scores_is_a_bias():
    slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625])
    bias = (slopes[:, None, None] * -DISTANCE)[None]
    model = Flexible(score_mod=lambda score, _b, h, i, j: score - slopes[h] * (i - j), scale=0.3)
    given = torch.randn(3, B, H, N, D).unbind()

    trace = trace_module(model, *given)

    added = bias.masked_fill(~CAUSAL, -torch.inf).expand(B, -1, -1, -1)
    usual = trace_module(Usual(attn_mask=added, scale=0.3), *given)
    caught, expected = trace["attention"], usual["attention"]
    assert trace.difference == 0
    assert torch.equal(caught.mask, CAUSAL[None, None])
    assert caught.scale == pytest.approx(0.3)
    assert_close(caught.bias, bias.masked_fill(~CAUSAL, 0))
    for part in ("query", "key", "value", "weights", "heads"):
        assert_close(getattr(caught, part), getattr(expected, part), msg=part)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_tanh_is_a_cap(dtype):
    model = Flexible(score_mod=lambda score, *_: 3 * torch.tanh(score / 3))
    caught = trace_module(model, *torch.randn(3, B, H, N, D, dtype=dtype).unbind())["attention"]
    assert caught.softcap == pytest.approx(3)
    assert caught.scale == pytest.approx(1 / math.sqrt(D))
    weights = caught.scores.masked_fill(~CAUSAL, -torch.inf).softmax(-1)
    assert_close(weights, caught.weights, atol=1e-5 if dtype == torch.float32 else 1e-2, rtol=0)


def test_queries_that_share_keys_and_edits_of_them():
    query, key, value = torch.randn(B, H, N, D), *torch.randn(2, B, 2, N, D).unbind()
    edits = {
        "value[1]": torch.zeros_like,
        "mask": lambda x: x.index_fill(-1, torch.tensor(4), value=False),
        "heads[3]": torch.zeros_like,
    }
    for name, edit in edits.items():
        named = Edits({f"attention.{name}": edit})
        made, expected = (
            trace_module(each, query, key, value, edits=named)
            for each in (Flexible(enable_gqa=True), Usual(attn_mask=CAUSAL, enable_gqa=True))
        )
        assert made["attention"].key.shape == (B, 2, N, D)
        assert_close(made.output, expected.output, msg=name)


def test_a_bias_in_16_bits_leaves_the_scale_exact():
    model = Flexible(score_mod=lambda score, _b, _h, i, j: score + 1.5 * torch.cos(i + 2 * j))
    given = torch.randn(3, B, H, N, D, dtype=torch.bfloat16).unbind()

    trace = trace_module(model, *given)

    caught = trace["attention"]
    assert trace.difference == 0
    assert caught.scale == pytest.approx(1 / math.sqrt(D))
    bias = 1.5 * torch.cos(PLACES[:, None] + 2.0 * PLACES).masked_fill(~CAUSAL, 0)
    assert_close(caught.bias[0, 0], bias.bfloat16())
    edited = trace_module(model, *given, edits=Edits({"attention.value[1]": torch.zeros_like}))
    assert (edited.output[:, 1] == 0).all()


def test_scores_that_are_squared_are_no_attention():
    model = Flexible(score_mod=lambda score, *_: score * score)
    with pytest.raises(ValueError, match="no attention could be recorded"):
        trace_module(model, *torch.randn(3, B, H, N, D).unbind())
