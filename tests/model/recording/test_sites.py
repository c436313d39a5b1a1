import torch
from torch import nn

from model.recording import trace_module


def test_layers_of_one_attention_are_one_site():
    model = nn.Transformer(16, 4, 2, 3, 32, batch_first=True).eval()
    ahead = nn.Transformer.generate_square_subsequent_mask(5)

    trace = trace_module(model, torch.randn(2, 7, 16), torch.randn(2, 5, 16), tgt_mask=ahead)

    facts = [
        (site.name, site.layers, site.heads, site.reads_itself, site.causal, site.bias)
        for site in trace.sites
    ]
    assert facts == [
        ("encoder.layers.*.self_attn", 2, 4, True, False, False),
        ("decoder.layers.*.self_attn", 3, 4, True, True, False),
        ("decoder.layers.*.multihead_attn", 3, 4, False, False, False),
    ]
    cross = trace.sites[2]
    assert (cross.n_queries, cross.n_keys, cross.d_k, cross.d_v) == (5, 7, 4, 4)
    assert cross.attentions[1] == "decoder.layers.1.multihead_attn"


def test_layers_of_other_shapes_are_other_sites():
    class Narrowing(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(
                nn.MultiheadAttention(8, heads, batch_first=True) for heads in (4, 4, 2)
            )

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for layer in self.layers:
                x = layer(x, x, x)[0]
            return x

    sites = trace_module(Narrowing().eval(), torch.randn(1, 3, 8)).sites

    assert [(site.name, site.attentions, site.heads) for site in sites] == [
        ("layers.*", ("layers.0", "layers.1"), 4),
        ("layers.*", ("layers.2",), 2),
    ]


def test_what_torch_is_not_told_is_not_known():
    class Own(nn.Module):
        def forward(self, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
            bias = torch.ones(3, 3)
            return nn.functional.scaled_dot_product_attention(query, key, key, attn_mask=bias)

    (site,) = trace_module(Own(), torch.randn(1, 4, 3, 2), torch.randn(1, 4, 3, 2)).sites

    assert site.reads_itself is None
    assert site.bias
