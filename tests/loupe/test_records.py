"""Attentions of a module of which only the paths are known, sorted by what they read."""

import torch
from torch import Tensor, nn

from loupe.records import attentions_in
from model.foreign.recording import trace_module


def test_layers_of_one_attention_stand_together() -> None:
    model = nn.Transformer(16, 4, 2, 3, 32, batch_first=True).eval()
    ahead = nn.Transformer.generate_square_subsequent_mask(5)

    trace = trace_module(model, torch.randn(2, 7, 16), torch.randn(2, 5, 16), tgt_mask=ahead)

    found = [(each.kind, each.name, len(each.layers)) for each in attentions_in(trace)]
    assert found == [
        ("encoder self-attention", "encoder.layers.{layer}.self_attn.weights", 2),
        ("decoder self-attention", "decoder.layers.{layer}.self_attn.weights", 3),
        ("cross-attention", "decoder.layers.{layer}.multihead_attn.weights", 3),
    ]


def test_layers_of_other_shapes_stand_apart() -> None:
    class Narrowing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(
                nn.MultiheadAttention(8, heads, batch_first=True) for heads in (4, 4, 2)
            )

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = layer(x, x, x)[0]
            return x

    (found,) = attentions_in(trace_module(Narrowing().eval(), torch.randn(1, 3, 8)))

    assert [each.weights.size(1) for each in found.layers] == [4, 4]


def test_what_torch_is_not_told_is_told_by_the_mask() -> None:
    class Own(nn.Module):
        def forward(self, query: Tensor, key: Tensor) -> Tensor:
            return nn.functional.scaled_dot_product_attention(query, key, key, is_causal=True)

    trace = trace_module(Own(), torch.randn(1, 4, 3, 2), torch.randn(1, 4, 3, 2))

    assert trace["attention"].reads_itself is None
    assert [each.kind for each in attentions_in(trace)] == ["decoder self-attention"]
