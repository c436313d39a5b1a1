import pytest
import torch
from torch.testing import assert_close

from model.config import TransformerConfig
from model.encoder import Encoder
from tests.model.torch_names import torch_encoder
from tests.tiny import boolean, randn, shaken, tiny_config

MASK = boolean("1111", "1110").unsqueeze(1)


def make_encoder(config: TransformerConfig) -> Encoder:
    torch.manual_seed(0)
    return shaken(Encoder(config))


def test_hidden_states_of_each_layer_are_torchs(stack: TransformerConfig):
    ours, x = make_encoder(stack), randn(2, 4, 16)
    trace = ours(x, MASK)
    theirs = torch_encoder(ours, stack)
    for ours_of_layer, layer in zip(trace.layers, theirs.layers, strict=True):
        assert_close(ours_of_layer.input, x)
        read = layer.norm1(x) if layer.norm_first else x
        attended, weights = layer.self_attn(
            read, read, read, key_padding_mask=~MASK[:, 0], average_attn_weights=False
        )
        assert_close(ours_of_layer.self_attn.output, attended)
        assert_close(ours_of_layer.self_attn.weights, weights)
        after = x + attended if layer.norm_first else layer.norm1(x + attended)
        assert_close(ours_of_layer.after_self_attn, after)
        x = layer(x, src_key_padding_mask=~MASK[:, 0])
        assert_close(ours_of_layer.output, x)
    assert_close(trace.output, theirs.norm(x) if theirs.norm else x)


@pytest.mark.parametrize("variant", ["addnorm", "prenorm"])
def test_norms_with_an_unbiased_deviation_stand_where_they_should(variant: str):
    """The reference uses the trace's own sublayer outputs, as torch has no such norm."""
    ours, x = make_encoder(tiny_config(variant)), randn(2, 4, 16)
    trace = ours(x, MASK)
    for layer, record in zip(ours.layers, trace.layers, strict=True):
        after_self_attn, output = record.after_self_attn, record.output
        if variant == "addnorm":
            assert_close(after_self_attn, unbiased(x + record.self_attn.output, layer, "self_attn"))
            sum_ = after_self_attn + record.feed_forward.output
            assert_close(output, unbiased(sum_, layer, "feed_forward"))
        else:
            assert_close(after_self_attn, x + record.self_attn.output)
            assert_close(output, after_self_attn + record.feed_forward.output)
            read = unbiased(x, layer, "self_attn")
            assert_close(record.self_attn.output, layer.self_attn(read, read, MASK).output)
        x = output


def unbiased(x: torch.Tensor, layer: torch.nn.Module, sublayer: str) -> torch.Tensor:
    norm = layer.get_submodule(f"{sublayer}_norm")
    centred = x - x.mean(dim=-1, keepdim=True)
    std = (centred.square().sum(dim=-1, keepdim=True) / (x.size(-1) - 1)).sqrt()
    return centred / (std + 1e-6) * norm.weight + norm.bias
