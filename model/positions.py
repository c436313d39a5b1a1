"""Positional encodings (section 3.5 of the paper) and what two write-ups made of them."""

import torch
from jaxtyping import Float
from torch import Tensor

from model.config import Positions


def sinusoidal(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """sin(pos / 10000^(2i/d_model)) in dimension 2i, the cosine of the same in 2i + 1."""
    dimension = torch.arange(0, d_model, 2, dtype=torch.float64)
    angles = _angles(length, 10000.0 ** (-dimension / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1).float()


def double_sine(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """sin(pos / 1000^(2j/d_model)) in every dimension j.

    The exponent doubles an index that already runs over single dimensions: with 1000 in place of
    10000, wavelengths grow 1.5 times as fast as the paper's (3 · 2 powers of ten against 4 over all
    dimensions). There is no cosine beside each sine (write-up `addnorm`).
    """
    dimension = torch.arange(d_model, dtype=torch.float64)
    return _angles(length, 1000.0 ** (-2 * dimension / d_model)).sin().float()


def single_frequency(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """sin(pos) in even dimensions, cos(pos) in odd ones.

    A floor division makes every exponent 0 (write-up `headlist`).
    """
    angles = _angles(length, torch.ones(d_model, dtype=torch.float64))
    even = torch.arange(d_model) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos()).float()


def fixed_positions(kind: Positions, length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """Encodings of positions 0 to length - 1, for a kind that is not learned; zeros for none."""
    formulas = {
        "sinusoidal": sinusoidal,
        "double_sine": double_sine,
        "single_frequency": single_frequency,
        "none": torch.zeros,
    }
    return formulas[kind](length, d_model)


def _angles(
    length: int, frequencies: Float[Tensor, " dimension"]
) -> Float[Tensor, "length dimension"]:
    return torch.arange(length, dtype=torch.float64).outer(frequencies)
