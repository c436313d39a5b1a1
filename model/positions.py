"""Positional encodings: the paper's (section 3.5), and those of other models."""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.config import Positions


def sinusoidal(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """Compute sin(pos / 10000^(2i/d_model)) in dimension 2i, and its cosine in 2i + 1."""
    dimension = torch.arange(0, d_model, 2, dtype=torch.float64)
    angles = _angles(length, 10000.0 ** (-dimension / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1).float()


def double_sine(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """Compute sin(pos / 1000^(2j/d_model)) in every dimension j (write-up `addnorm`).

    The exponent doubles an index that already counts single dimensions. With 1000 instead of 10000,
    wavelengths grow 1.5 times as fast as the paper's (3 · 2 powers of ten against 4 over all
    dimensions). The sines have no cosines.
    """
    dimension = torch.arange(d_model, dtype=torch.float64)
    return _angles(length, 1000.0 ** (-2 * dimension / d_model)).sin().float()


def single_frequency(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """Compute sin(pos) in even dimensions and cos(pos) in odd ones (write-up `headlist`).

    A floor division makes every exponent 0.
    """
    angles = _angles(length, torch.ones(d_model, dtype=torch.float64))
    even = torch.arange(d_model) % 2 == 0
    return torch.where(even, angles.sin(), angles.cos()).float()


def sinusoidal_halves(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """Compute the paper's encodings in Marian's order: all sines, then all cosines."""
    table = sinusoidal(length, d_model)
    return torch.cat([table[:, 0::2], table[:, 1::2]], dim=1)


FORMULAS = {
    "sinusoidal": sinusoidal,
    "double_sine": double_sine,
    "single_frequency": single_frequency,
    "sinusoidal_halves": sinusoidal_halves,
}
"""The kinds of positions that are computed vectors."""


def fixed_positions(kind: Positions, length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """Compute the encodings of positions 0 to length - 1, for a kind that is not learned.

    They are zeros if the model has none, or none that are vectors (rotary, alibi, relative).
    """
    return FORMULAS.get(kind, torch.zeros)(length, d_model)


def formula_of(rows: Float[Tensor, "position d_model"]) -> Positions | None:
    """Return the kind of positions that has these rows; None if none does."""
    length, d_model = rows.shape
    for kind in ("sinusoidal", "sinusoidal_halves", "double_sine"):
        if d_model % 2 == 0 and torch.allclose(
            rows.float(), FORMULAS[kind](length, d_model).to(rows.device), atol=1e-4
        ):
            return kind
    return None


class Stretch(NamedTuple):
    """The stretching of rotary wavelengths; see the fields of `TransformerConfig`."""

    factor: float
    context: int
    low: float
    high: float


def rotary_angles(
    start: int,
    stop: int,
    d_k: int,
    *,
    share: float,
    base: float,
    stretch: Stretch | None = None,
) -> Float[Tensor, "position pair"]:
    """Compute the angle of pair i at each position: pos * base^(-2i / r), r dimensions rotated.

    The computation is in single precision, as in the training of such models (Su et al. 2021,
    equation 15).
    """
    turned = int(d_k * share)
    frequencies = 1.0 / (base ** (torch.arange(0, turned, 2).float() / turned))
    if stretch is not None and stretch.factor != 1.0:
        frequencies = stretched(frequencies, stretch)
    return torch.arange(start, stop).float().outer(frequencies)


def stretched(frequencies: Float[Tensor, " pair"], stretch: Stretch) -> Float[Tensor, " pair"]:
    """Divide frequencies by the factor: all of them, or only those of long waves.

    With a context, a wave with at least `high` periods in it keeps its frequency, one with at most
    `low` periods is divided, and waves in between are interpolated (Llama 3.1, Grattafiori et al.
    2024).
    """
    divided = frequencies / stretch.factor
    if not stretch.context:
        return divided
    rounds = stretch.context / (2 * math.pi / frequencies)
    kept = ((rounds - stretch.low) / (stretch.high - stretch.low)).clamp(0, 1)
    return (1 - kept) * divided + kept * frequencies


def turn(
    x: Float[Tensor, "batch head position d_k"], angles: Float[Tensor, "position pair"] | None
) -> Float[Tensor, "batch head position d_k"]:
    """Rotate the pairs of dimensions (i, i + r/2) among the first r by the angles.

    The product of a query and a key is then unchanged if both move by the same number of positions.
    """
    if angles is None:
        return x
    half = angles.size(1)
    one, other, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    return torch.cat([one * cos - other * sin, other * cos + one * sin, rest], dim=-1)


def alibi_bias(n_heads: int, start: int, length: int) -> Float[Tensor, "1 head query key"]:
    """Compute -slope * (query - key) from query `start` on, 0 for later keys (Press et al. 2022).

    Slopes are 2^(-8h / n) for h from 1 to n. If n is not a power of 2, they are those of the power
    below, then every other one of the power above.
    """
    power = 2 ** math.floor(math.log2(n_heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    slopes += [2 ** (-4 * (i + 1) / power) for i in range(0, 2 * (n_heads - power), 2)]
    distance = torch.arange(start, length)[:, None] - torch.arange(length)[None]
    falls = torch.tensor(slopes, dtype=torch.float64)[:, None, None] * distance.clamp(min=0)
    return -falls.float()[None]


def relative_bucket(
    start: int, length: int, *, both_ways: bool, buckets: int, max_distance: int
) -> Int[Tensor, "query key"]:
    """Compute the bucket of each distance, for queries from `start` on (Raffel et al. 2020).

    Half of the buckets are exact, the others grow logarithmically up to `max_distance`. If rows
    read in both directions, later keys have the upper half of the buckets.
    """
    distance = torch.arange(length)[None] - torch.arange(start, length)[:, None]
    first = torch.zeros_like(distance)
    if both_ways:
        buckets //= 2
        first = (distance > 0).long() * buckets
        distance = distance.abs()
    else:
        distance = (-distance).clamp(min=0)
    exact = buckets // 2
    ratio = torch.log(distance.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = exact + (ratio * (buckets - exact)).long()
    return first + torch.where(distance < exact, distance, far.clamp(max=buckets - 1))


def _angles(
    length: int, frequencies: Float[Tensor, " dimension"]
) -> Float[Tensor, "length dimension"]:
    return torch.arange(length, dtype=torch.float64).outer(frequencies)
