"""A model small enough to run in every test, and the sentences that it reads."""

import torch
from torch import Tensor, nn

from model.config import TransformerConfig
from model.presets import preset
from model.transformer import Transformer

PAD = 0
SOURCE = torch.tensor([[3, 4, 3], [4, 3, PAD]])
"""The sentences "the cat the" and "cat the"."""
TARGET = torch.tensor([[1, 5, 6, 5, 7], [1, 6, 5, PAD, PAD]])


def tiny_config(variant: str = "paper", **overrides) -> TransformerConfig:
    sizes = {
        "source_vocab_size": 11,
        "target_vocab_size": 11,
        "d_model": 16,
        "n_heads": 4,
        "d_ff": 32,
        "n_encoder_layers": 2,
        "n_decoder_layers": 3,
    }
    return preset(variant, **(sizes | overrides))


def tiny_model(variant: str = "paper", **overrides) -> Transformer:
    torch.manual_seed(0)
    return shaken(Transformer(tiny_config(variant, **overrides)))


def shaken(module: nn.Module) -> nn.Module:
    """Move every parameter off its initial value, in eval mode: no bias stays 0, no norm 1."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in module.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)
            parameter.copy_(parameter + 0.2 * noise)
    return module.eval()


def randn(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def boolean(*rows: str) -> Tensor:
    """Build a mask from text: 1 may attend, 0 may not."""
    return torch.tensor([[mark == "1" for mark in row] for row in rows])
