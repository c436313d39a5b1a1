import math

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.testing import assert_close

from model.attention import KeyValue, MultiHeadAttention, masked_scores, softmax_in_place
from model.edits import Edits, ablate
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
    """softmax(q k / sqrt(d_k)) v for one head of one sentence, one number at a time."""
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
    """Rows head * d to (head + 1) * d of a projection, applied to each position."""
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
            mixes.append(mix)
            for ours, by_hand in (
                (trace.query, query),
                (trace.key, key),
                (trace.value, value),
                (trace.weights, weights),
                (trace.heads, mix),
            ):
                equal_in_float64(ours[sentence, head], by_hand)
        joined = np.concatenate(mixes, axis=1)
        equal_in_float64(trace.output[sentence], projected(joined, attention.output, 0, 1))


def equal_in_float64(ours: Tensor, by_hand: NDArray) -> None:
    assert_close(ours.detach(), torch.from_numpy(by_hand), rtol=0, atol=1e-12)


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_scores_are_scaled_dot_products_before_the_mask(sizes: dict):
    trace = attend(make_attention(**sizes).double(), MASKS["padding"])
    d_k = trace.query.size(-1)
    dot_products = torch.einsum("bhqd,bhkd->bhqk", trace.query, trace.key)
    assert_close(trace.scores, dot_products / d_k**0.5, rtol=0, atol=1e-12)


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


def test_self_attention_is_torchs():
    ours, x = make_attention(), randn(2, 5, 16)
    trace = ours(x, x, open_mask(5))
    output, weights = torch_attention(ours)(x, x, x, average_attn_weights=False)
    assert_close(trace.output, output)
    assert_close(trace.weights, weights)


def test_causal_self_attention_with_padding_is_torchs():
    ours, x = make_attention(), randn(2, 5, 16)
    padding = MASKS["padding"]
    trace = ours(x, x, causal_mask(5) & padding)
    # torch's masks are the other way round: True hides the key
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


# Masks


@pytest.mark.parametrize("fill", [-math.inf, -1e9])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_a_masked_key_gets_no_weight_and_the_others_share_one(mask: Tensor, fill: float):
    weights = attend(make_attention(mask_fill=fill), mask).weights
    hidden = ~mask.unsqueeze(1).expand_as(weights)
    assert (weights[hidden] == 0).all()
    assert (weights[~hidden] > 0).all()
    assert_close(weights.sum(dim=-1), torch.ones(2, 4, 3))


NOTHING_FOR_QUERY_1 = boolean("11111", "00000", "11111").unsqueeze(0)


def test_a_query_that_may_read_nothing_is_not_a_number():
    trace = attend(make_attention(mask_fill=-math.inf), NOTHING_FOR_QUERY_1)
    assert trace.weights[:, :, 1].isnan().all()
    assert trace.output[:, 1].isnan().all()
    assert not trace.output[:, [0, 2]].isnan().any()


def test_a_query_that_may_read_nothing_reads_all_alike_where_the_fill_is_finite():
    trace = attend(make_attention(mask_fill=-1e9), NOTHING_FOR_QUERY_1)
    assert_close(trace.weights[:, :, 1], torch.full((2, 4, 5), 1 / 5))
    assert_close(trace.heads[:, :, 1], trace.value.mean(dim=2))


def test_masked_scores_hold_the_fill_where_the_mask_forbids():
    scores = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]])
    mask = boolean("10", "11").unsqueeze(0)
    assert masked_scores(scores, mask, -9.0).tolist() == [
        [[[1.0, -9.0], [3.0, 4.0]], [[5.0, -9.0], [7.0, 8.0]]]
    ]


@pytest.mark.parametrize("training", [True, False])
def test_softmax_of_masked_scores_by_hand(training: bool):
    with torch.set_grad_enabled(training):
        scores = torch.tensor([[[[0.0, math.log(3), 7.0]]]])
        weights = softmax_in_place(scores, boolean("110").unsqueeze(0), -math.inf)
    assert_close(weights, torch.tensor([[[[0.25, 0.75, 0.0]]]]))


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_weights_are_the_same_with_and_without_gradients(mask: Tensor):
    attention = make_attention()
    with torch.no_grad():
        assert torch.equal(attend(attention, mask).weights, masked_weights(attention, mask))
    assert torch.equal(attend(attention, mask).weights, masked_weights(attention, mask))


def masked_weights(attention: MultiHeadAttention, mask: Tensor) -> Tensor:
    """Weights as a function of the scores that the trace gives back."""
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


# Dropout


def test_weights_are_those_before_dropout():
    attention = make_attention(dropout=0.5)
    expected = attend(attention, MASKS["padding"])
    trained = attend(attention.train(), MASKS["padding"])
    assert torch.equal(trained.weights, expected.weights)
    assert_close(expected.heads, expected.weights @ expected.value)
    assert not torch.allclose(trained.heads, expected.heads)


def test_dropout_acts_on_weights():
    """With ones as values, a head is the sum of the weights that were kept, doubled."""
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


# Going on from keys and values of the past


def test_going_on_from_the_past_gives_the_rows_of_one_full_pass():
    attention, x = make_attention(d_k=5, d_v=3), randn(2, 5, 16)
    full = attention(x, x, causal_mask(5))
    first = attention(x[:, :3], x[:, :3], causal_mask(3))
    past = KeyValue(first.key, first.value)
    rest = attention(x[:, 3:], x[:, 3:], causal_mask(2, past=3), past=past)
    assert_close(rest.weights, full.weights[:, :, 3:])
    assert_close(rest.heads, full.heads[:, :, 3:])
    assert_close(rest.output, full.output[:, 3:])
    assert_close(rest.key, full.key)
    assert_close(rest.value, full.value)
    assert_close(rest.scores, full.scores[:, :, 3:])


def test_a_memory_of_the_past_needs_not_be_read_again():
    attention, mask = make_attention(), MASKS["padding"]
    full = attend(attention, mask)
    x = randn(2, 3, 16)
    again = attention(x[:, 2:], None, mask, past=KeyValue(full.key, full.value))
    assert_close(again.output, full.output[:, 2:])
    assert again.key is full.key


def test_without_memory_and_past_there_is_nothing_to_read():
    with pytest.raises(ValueError, match="needs a memory to read, or keys and values of the past"):
        make_attention()(randn(1, 1, 16), None, open_mask(1))


def test_an_edit_of_keys_leaves_those_of_the_past():
    attention, x = make_attention(), randn(2, 5, 16)
    first = attention(x[:, :3], x[:, :3], causal_mask(3))
    rest = attention(
        x[:, 3:],
        x[:, 3:],
        causal_mask(2, past=3),
        past=KeyValue(first.key, first.value),
        edits=Edits({"key": ablate, "value": ablate}),
    )
    assert torch.equal(rest.key[:, :, :3], first.key)
    assert torch.equal(rest.value[:, :, :3], first.value)
    assert (rest.key[:, :, 3:] == 0).all()
    assert (rest.value[:, :, 3:] == 0).all()
