"""Normalisation of each position's vector (section 3.1 of the paper cites LayerNorm)."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Norm


class UnbiasedStdNorm(nn.Module):
    """(x - mean) / (std + eps), with the unbiased standard deviation (n - 1), scaled and shifted.

    LayerNorm divides by sqrt(variance + eps) instead, with the biased variance (n).
    """

    def __init__(self, d_model: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes d_model"]:
        """Normalise along the last axis."""
        std, mean = torch.std_mean(x, dim=-1, keepdim=True)
        return self.weight * ((x - mean) / (std + self.eps)) + self.bias


class RootMeanSquareNorm(nn.Module):
    """x / sqrt(mean of the squares + eps), scaled (Zhang and Sennrich 2019)."""

    def __init__(self, d_model: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Float[Tensor, "*axes d_model"]) -> Float[Tensor, "*axes d_model"]:
        """Normalise along the last axis, in float32 whatever the model's precision."""
        wide = x.float()
        normed = wide * torch.rsqrt(wide.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return self.weight * normed.to(x)


def make_norm(kind: Norm, d_model: int, eps: float) -> nn.Module:
    """Build the norm of a variant."""
    if kind == "layer":
        return nn.LayerNorm(d_model, eps=eps)
    if kind == "rms":
        return RootMeanSquareNorm(d_model, eps)
    return UnbiasedStdNorm(d_model, eps)
