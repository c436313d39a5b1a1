import torch
from torch import Tensor, nn
from torch.testing import assert_close

from model.attention import KeyValue
from model.config import TransformerConfig
from model.decoder import Decoder, DecoderCache
from model.masks import causal_mask
from model.traces import DecoderTrace
from tests.model.torch_names import torch_decoder
from tests.tiny import boolean, randn, shaken, tiny_config

SOURCE_MASK = boolean("1111", "1110").unsqueeze(1)
TARGET_PADDING = boolean("11111", "11100").unsqueeze(1)
TARGET_MASK = causal_mask(5) & TARGET_PADDING
THEIR_MASKS = {  # inverted: True hides the key
    "tgt_mask": ~causal_mask(5)[0],
    "tgt_key_padding_mask": ~TARGET_PADDING[:, 0],
    "memory_key_padding_mask": ~SOURCE_MASK[:, 0],
}


def make_decoder(config: TransformerConfig) -> Decoder:
    torch.manual_seed(0)
    return shaken(Decoder(config))


def inputs() -> tuple[Tensor, Tensor]:
    return randn(2, 5, 16), randn(2, 4, 16, seed=1)


def decode(decoder: Decoder) -> DecoderTrace:
    return decoder(*inputs(), TARGET_MASK, SOURCE_MASK)


def test_hidden_states_of_each_layer_are_torchs(stack: TransformerConfig):
    ours = make_decoder(stack)
    theirs = torch_decoder(ours, stack)
    x, memory = inputs()
    trace = decode(ours)
    for record, layer in zip(trace.layers, theirs.layers, strict=True):
        assert_close(record.input, x)

        read = layer.norm1(x) if layer.norm_first else x
        attended, weights = layer.self_attn(
            read,
            read,
            read,
            attn_mask=THEIR_MASKS["tgt_mask"],
            key_padding_mask=THEIR_MASKS["tgt_key_padding_mask"],
            average_attn_weights=False,
        )
        assert_close(record.self_attn.weights, weights)
        after = residual(layer, layer.norm1, x, attended)
        assert_close(record.after_self_attn, after)

        read = layer.norm2(after) if layer.norm_first else after
        attended, weights = layer.multihead_attn(
            read,
            memory,
            memory,
            key_padding_mask=THEIR_MASKS["memory_key_padding_mask"],
            average_attn_weights=False,
        )
        assert_close(record.cross_attn.weights, weights)
        assert_close(record.after_cross_attn, residual(layer, layer.norm2, after, attended))

        x = layer(x, memory, **THEIR_MASKS)
        assert_close(record.output, x)
    assert_close(trace.output, theirs.norm(x) if theirs.norm else x)


def residual(
    layer: nn.TransformerDecoderLayer, norm: nn.LayerNorm, x: Tensor, output: Tensor
) -> Tensor:
    return x + output if layer.norm_first else norm(x + output)


# The cache


def make_cache() -> DecoderCache:
    return DecoderCache.of(decode(make_decoder(tiny_config(d_k=5, d_v=3))))


def test_a_cache_holds_keys_and_values_of_every_layer_and_knows_their_bytes():
    cache = make_cache()
    assert cache.length == 5
    assert [pair.key.shape for pair in cache.self_attn] == [(2, 4, 5, 5)] * 3
    assert [pair.value.shape for pair in cache.self_attn] == [(2, 4, 5, 3)] * 3
    assert [pair.key.shape for pair in cache.cross_attn] == [(2, 4, 4, 5)] * 3
    assert [pair.value.shape for pair in cache.cross_attn] == [(2, 4, 4, 3)] * 3
    assert cache.n_bytes == 3 * 2 * 4 * (5 + 4) * (5 + 3) * 4


def test_rows_of_a_cache_may_be_dropped_moved_and_repeated():
    cache = make_cache()
    chosen = cache.select(torch.tensor([1, 0, 1]))
    for before, after in (
        (cache.self_attn, chosen.self_attn),
        (cache.cross_attn, chosen.cross_attn),
    ):
        for old, new in zip(before, after, strict=True):
            assert isinstance(new, KeyValue)
            assert torch.equal(new.key, torch.stack([old.key[1], old.key[0], old.key[1]]))
            assert torch.equal(new.value, torch.stack([old.value[1], old.value[0], old.value[1]]))
