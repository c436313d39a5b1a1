import math

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.testing import assert_close

from model.attention import MultiHeadAttention, masked_scores
from model.masks import causal_mask, open_mask
from model.traces import AttentionTrace
from tests.model.torch_names import torch_attention
from tests.tiny import boolean, randn, shaken

SIZES = {
    "heads that share d_model": {"n_heads": 4, "d_k": 4, "d_v": 4},
    "values of another size": {"n_heads": 4, "d_k": 5, "d_v": 3},
    "heads that do not divide d_model": {"n_heads": 3, "d_k": 5, "d_v": 5},
    "one head": {"n_heads": 1, "d_k": 16, "d_v": 16},
    "no bias": {"n_heads": 4, "d_k": 4, "d_v": 4, "bias": False},
}
MASKS = {
    "open": open_mask(5),
    "padding": boolean("11111", "11100").unsqueeze(1),
    "each query its own": torch.stack(
        [boolean("10101", "01010", "00001"), boolean("11111", "10000", "01100")]
    ),
}


def make_attention(**sizes) -> MultiHeadAttention:
    torch.manual_seed(0)
    return shaken(MultiHeadAttention(16, **({"n_heads": 4, "d_k": 4, "d_v": 4} | sizes)))


def attend(attention: MultiHeadAttention, mask: Tensor, **keywords) -> AttentionTrace:
    dtype = attention.query.weight.dtype
    x, memory = randn(2, 3, 16, dtype=dtype), randn(2, 5, 16, seed=1, dtype=dtype)
    return attention(x, memory, mask, **keywords)


# Equation 1, in loops and float64


def equation_1(
    query: NDArray, key: NDArray, value: NDArray, may_attend: NDArray
) -> tuple[NDArray, NDArray]:
    """Return softmax(q k / sqrt(d_k)) and its product with v, for one head, number by number."""
    weights = np.zeros((len(query), len(key)))
    heads = np.zeros((len(query), value.shape[1]))
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            if may_attend[i, j]:
                dot_product = sum(a * b for a, b in zip(q, k, strict=True))
                weights[i, j] = math.exp(dot_product / math.sqrt(len(q)))
        weights[i] /= sum(weights[i])
        for j, v in enumerate(value):
            heads[i] += weights[i, j] * v
    return weights, heads


def projected(x: NDArray, projection: torch.nn.Linear, head: int, n_heads: int) -> NDArray:
    """Apply rows head * d to (head + 1) * d of a projection to each position."""
    size = projection.out_features // n_heads
    rows = slice(head * size, (head + 1) * size)
    y = x @ projection.weight.detach().numpy()[rows].T
    return y if projection.bias is None else y + projection.bias.detach().numpy()[rows]


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_equation_1(sizes: dict, mask: Tensor):
    attention = make_attention(**sizes).double()
    n_heads = attention.n_heads
    x, memory = randn(2, 3, 16, dtype=torch.float64), randn(2, 5, 16, dtype=torch.float64, seed=1)
    trace = attention(x, memory, mask)

    for sentence in range(2):
        may_attend = mask.expand(2, 3, 5)[sentence].numpy()
        mixes = []
        for head in range(n_heads):
            query = projected(x[sentence].numpy(), attention.query, head, n_heads)
            key = projected(memory[sentence].numpy(), attention.key, head, n_heads)
            value = projected(memory[sentence].numpy(), attention.value, head, n_heads)
            weights, mix = equation_1(query, key, value, may_attend)
            scores = np.einsum("qd,kd->qk", query, key) / math.sqrt(query.shape[1])
            mixes.append(mix)
            for ours, by_hand in (
                (trace.query, query),
                (trace.key, key),
                (trace.value, value),
                (trace.scores, scores),
                (trace.weights, weights),
                (trace.heads, mix),
            ):
                equal_in_float64(ours[sentence, head], by_hand)
        joined = np.concatenate(mixes, axis=1)
        equal_in_float64(trace.output[sentence], projected(joined, attention.output, 0, 1))


def equal_in_float64(ours: Tensor, by_hand: NDArray) -> None:
    assert_close(ours.detach(), torch.from_numpy(by_hand), rtol=0, atol=1e-12)


# Against torch


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_heads", [1, 4])
def test_cross_attention_is_torchs(n_heads: int, bias: bool):
    ours = make_attention(n_heads=n_heads, d_k=16 // n_heads, d_v=16 // n_heads, bias=bias)
    x, memory, mask = randn(2, 3, 16), randn(2, 5, 16, seed=1), MASKS["padding"]
    trace = ours(x, memory, mask)
    output, weights = torch_attention(ours)(
        x, memory, memory, key_padding_mask=~mask[:, 0], average_attn_weights=False
    )
    assert_close(trace.output, output)
    assert_close(trace.weights, weights)


def test_causal_self_attention_with_padding_is_torchs():
    ours, x = make_attention(), randn(2, 5, 16)
    padding = MASKS["padding"]
    trace = ours(x, x, causal_mask(5) & padding)
    # torch's masks are inverted: True hides the key
    output, weights = torch_attention(ours)(
        x,
        x,
        x,
        attn_mask=~causal_mask(5)[0],
        key_padding_mask=~padding[:, 0],
        average_attn_weights=False,
    )
    assert_close(trace.output, output)
    assert_close(trace.weights, weights)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_weights_are_the_same_with_and_without_gradients(mask: Tensor):
    attention = make_attention()
    with torch.no_grad():
        assert torch.equal(attend(attention, mask).weights, masked_weights(attention, mask))
    assert torch.equal(attend(attention, mask).weights, masked_weights(attention, mask))


def masked_weights(attention: MultiHeadAttention, mask: Tensor) -> Tensor:
    """Recompute the weights from the recorded scores."""
    scores = attend(attention, mask).scores
    return masked_scores(scores, mask, attention.mask_fill).softmax(dim=-1)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_gradients_are_those_of_small_differences(mask: Tensor):
    attention = make_attention(d_k=5, d_v=3).double()
    x = randn(2, 3, 16, dtype=torch.float64).requires_grad_()
    memory = randn(2, 5, 16, seed=1, dtype=torch.float64).requires_grad_()

    def output(x: Tensor, memory: Tensor) -> Tensor:
        return attention(x, memory, mask).output

    assert torch.autograd.gradcheck(output, (x, memory), fast_mode=True)


def test_dropout_acts_on_weights():
    """With ones as values, a head is the sum of the kept weights, doubled."""
    attention = make_attention(dropout=0.5).train()
    with torch.no_grad():
        attention.value.weight.zero_()
        attention.value.bias.fill_(1.0)
    torch.manual_seed(0)
    trace = attend(attention, open_mask(5))
    torch.manual_seed(0)
    kept = attention.dropout(torch.ones_like(trace.weights))
    assert set(kept.unique().tolist()) == {0.0, 2.0}
    assert_close(trace.heads[..., 0], (trace.weights * kept).sum(dim=-1))


def test_without_memory_and_past_there_is_nothing_to_read():
    with pytest.raises(ValueError, match="needs a memory to read, or keys and values of the past"):
        make_attention()(randn(1, 1, 16), None, open_mask(1))
