import pytest
import torch
from torch.testing import assert_close

from model.attribution.parts import (
    find_attention,
    norm_after,
    norm_scale,
    parts_by_head,
    parts_by_key,
    through_norm,
    vector_norms,
)
from model.norms import make_norm
from tests.model.by_hand import IDS, double, traced
from tests.tiny import randn, shaken

CROSS = "decoder.layers.1.cross_attn"


def test_heads_and_bias_sum_to_the_output_in_every_variant(variant: str):
    model, trace = double(variant), traced(double(variant))
    module, attention = find_attention(model, CROSS), trace.decoder.layers[1].cross_attn
    bias = 0 if module.output.bias is None else module.output.bias.detach()
    assert_close(parts_by_head(module, attention).sum(0) + bias, attention.output[0])


def test_the_keys_of_a_head_sum_to_the_head():
    model, trace = double(), traced(double())
    module, attention = find_attention(model, CROSS), trace.decoder.layers[1].cross_attn
    by_key = parts_by_key(module, attention)
    assert_close(by_key.sum(dim=2), parts_by_head(module, attention))
    head, query, key = 2, 1, 3
    columns = slice(head * model.config.d_v, (head + 1) * model.config.d_v)
    by_hand = attention.value[0, head, key] @ module.output.weight.detach()[:, columns].T
    assert_close(by_key[head, query, key], attention.weights[0, head, query, key] * by_hand)


def test_lengths_of_what_is_brought_are_those_of_the_formula(variant: str):
    """The reference is written out with loops over the parameters."""
    model, trace, row = double(variant), traced(double(variant)), 1
    module, attention = find_attention(model, CROSS), trace.decoder.layers[1].cross_attn
    value, output, d_v = module.value, module.output, model.config.d_v
    bias = torch.zeros(value.out_features).double() if value.bias is None else value.bias.detach()
    by_hand = []
    for key in range(len(IDS)):
        total = torch.zeros(model.config.d_model).double()
        for head in range(model.config.n_heads):
            own = slice(head * d_v, (head + 1) * d_v)
            v = value.weight.detach()[own] @ trace.encoder.output[0, key] + bias[own]
            weight = attention.weights[0, head, row, key]
            total += weight * (output.weight.detach()[:, own] @ v)
        by_hand.append(total.norm())
    assert_close(vector_norms(module, attention)[row], torch.stack(by_hand))


@pytest.mark.parametrize("kind", ["layer", "unbiased_std"])
def test_parts_through_a_norm_and_its_bias_are_the_norm_of_their_sum(kind):
    norm = shaken(make_norm(kind, 16, 1e-2)).double()
    parts = randn(5, 3, 16, dtype=torch.float64)
    x = parts.sum(0)
    with torch.no_grad():
        found = through_norm(norm, parts, norm_scale(norm, x)).sum(0) + norm.bias
        assert_close(found, norm(x))


def test_only_a_norm_after_its_sublayer_is_passed():
    assert norm_after(double(), CROSS) is double().decoder.layers[1].cross_attn_norm
    assert norm_after(double("prenorm"), CROSS) is None


def test_other_modules_are_refused():
    with pytest.raises(TypeError, match="got Linear"):
        find_attention(double(), f"{CROSS}.output")
    with pytest.raises(TypeError, match="got Linear"):
        norm_scale(double().generator, randn(2, 16))
