"""The unbiased standard deviation beside LayerNorm, on one and the same input (section 3.1)."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.norms import UnbiasedStdNorm
from viz.subjects.variants.material import Material, source_ids

LAYER_EPS, STD_EPS = 1e-5, 1e-6
"""Of torch's LayerNorm, and of the write-ups that divide by the unbiased std."""
SCALES = np.logspace(-8, 1, 46)
_SMALL, _LARGE = -20.0, 10.0
"""Powers of ten between which the std is looked for at which eps takes over."""
_HALVINGS = 50
WEAK = 0.9
"""Size of an output, as a part of the full one, below which eps has taken over."""


@dataclass(frozen=True, eq=False)
class Norms:
    """Both norms of one input, without weights: what divides is all that differs."""

    size: int
    """Numbers in one vector, n."""
    largest: float
    """Largest output of LayerNorm."""
    difference: float
    """Largest difference of the two outputs."""
    ratio: float
    """Mean ratio of the two, unbiased std to LayerNorm."""
    left: float
    """Largest difference once LayerNorm's output is multiplied by √((n − 1)/n)."""
    sizes: dict[str, Float[np.ndarray, " scale"]]
    """Root mean square of each output when the input is scaled to a std of `SCALES`; by norm, as a
    config names it."""
    weak_below: dict[str, float]
    """The std of the input below which each norm's output is less than `WEAK` of its full size."""

    @property
    def factor(self) -> float:
        """What the two should differ by: √((n − 1)/n)."""
        return math.sqrt((self.size - 1) / self.size)


@torch.inference_mode()
def compare_norms(material: Material, variant: str = "paper") -> Norms:
    """Put what the first norm of a checkpoint reads for a text through both norms."""
    checkpoint = material.checkpoints[variant]
    _, encoder = checkpoint.model.encode(source_ids(checkpoint, material.text))
    first = encoder.layers[0]
    return norms_of((first.input + first.self_attn.output)[0].cpu())


@torch.inference_mode()
def norms_of(x: Float[Tensor, "position d_model"]) -> Norms:
    """Put some vectors through both norms."""
    size = x.size(-1)
    layer, unbiased = nn.LayerNorm(size, eps=LAYER_EPS), UnbiasedStdNorm(size, STD_EPS)
    a, b = layer(x), unbiased(x)
    unit = (x - x.mean(dim=-1, keepdim=True)).double()
    unit = unit / unit.square().mean(dim=-1, keepdim=True).sqrt()
    named = {
        "layer": layer.double(),
        "unbiased_std": unbiased.double(),
    }
    return Norms(
        size=size,
        largest=a.abs().max().item(),
        difference=(a - b).abs().max().item(),
        ratio=(b.square().sum() / a.square().sum()).sqrt().item(),
        left=(a * math.sqrt((size - 1) / size) - b).abs().max().item(),
        sizes={
            name: np.array([_output_size(norm, unit, scale) for scale in SCALES])
            for name, norm in named.items()
        },
        weak_below={name: _weak_below(norm, unit) for name, norm in named.items()},
    )


def _weak_below(norm: nn.Module, unit: Float[Tensor, "position d_model"]) -> float:
    """Halve the powers of ten between a std that is far too small and one that is large enough."""
    low, high = _SMALL, _LARGE
    wanted = WEAK * _output_size(norm, unit, 10**high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _output_size(norm, unit, 10**middle) < wanted:
            low = middle
        else:
            high = middle
    return 10**high


def _output_size(norm: nn.Module, unit: Float[Tensor, "position d_model"], std: float) -> float:
    """Give the root mean square of what a norm makes of vectors of this std."""
    return norm(unit * std).square().mean().sqrt().item()
