"""Against the formulas, written out with loops over the parameters in double precision."""

import torch
from torch.testing import assert_close

from model.norm_attribution import cross_shares, norm_rollout, value_weighted, vector_norms
from model.parts import find_attention
from tests.model.by_hand import IDS, double, traced

LAST = 2


def brought(variant: str, row: int) -> list[torch.Tensor]:
    """What cross-attention of the last layer brings from each source token, all heads together."""
    model, trace = double(variant), traced(double(variant))
    module, d_v = find_attention(model, f"decoder.layers.{LAST}.cross_attn"), model.config.d_v
    value, output = module.value, module.output
    bias = torch.zeros(value.out_features).double() if value.bias is None else value.bias.detach()
    found = []
    for key in range(len(IDS)):
        total = torch.zeros(model.config.d_model).double()
        for head in range(model.config.n_heads):
            own = slice(head * d_v, (head + 1) * d_v)
            v = value.weight.detach()[own] @ trace.encoder.output[0, key] + bias[own]
            weight = trace.decoder.layers[LAST].cross_attn.weights[0, head, row, key]
            total += weight * (output.weight.detach()[:, own] @ v)
        found.append(total)
    return found


def test_lengths_of_what_is_brought(variant: str):
    model, trace = double(variant), traced(double(variant))
    module = find_attention(model, f"decoder.layers.{LAST}.cross_attn")
    found = vector_norms(module, trace.decoder.layers[LAST].cross_attn)
    by_hand = [part.norm() for part in brought(variant, row=1)]
    assert_close(found[1], torch.stack(by_hand))


def test_weights_times_lengths_of_values():
    attention = traced(double()).decoder.layers[LAST].cross_attn
    query, key = 3, 2
    by_hand = sum(
        attention.weights[0, h, query, key] * attention.value[0, h, key].square().sum().sqrt()
        for h in range(4)
    )
    assert_close(value_weighted(attention)[query, key], by_hand / 4)


def test_shares_with_the_residual_and_the_norm(variant: str):
    model, trace, row = double(variant), traced(double(variant)), 2
    layer, module = trace.decoder.layers[LAST], model.decoder.layers[LAST]
    parts = [*brought(variant, row), layer.after_self_attn[0, row]]
    if model.config.norm_placement == "post":
        # The norm as a matrix: its derivative with the scale held.
        x, norm = (layer.after_self_attn + layer.cross_attn.output)[0, row], module.cross_attn_norm
        with torch.no_grad():
            centred = x - x.mean()
            ratio = (norm(x) - norm.bias) / centred
            parts = [ratio * (part - part.mean()) for part in parts]
            bias = 0 if module.cross_attn.output.bias is None else module.cross_attn.output.bias
            rest = ratio * (bias - bias.mean()) if torch.is_tensor(bias) else 0
            assert_close(sum(parts) + rest + norm.bias, layer.after_cross_attn[0, row])
    lengths = torch.stack([part.norm() for part in parts])
    assert_close(cross_shares(model, trace, LAST)[row], (lengths / lengths.sum())[:-1])


def test_rolled_out_shares_sum_to_1(variant: str):
    found = norm_rollout(double(variant), traced(double(variant)))
    assert_close(found.source.sum(1) + found.target.sum(1), torch.ones(4).double())
    assert (found.source > 0).all()
