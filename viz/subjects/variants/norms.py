"""The unbiased standard deviation beside LayerNorm, on one and the same input (section 3.1)."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.norms import UnbiasedStdNorm
from viz.subjects.variants.material import Material, source_ids
from viz.subjects.variants.report import Demonstration, Lines, Table, share, short

LAYER_EPS, STD_EPS = 1e-5, 1e-6
"""Of torch's LayerNorm, and of the write-ups that divide by the unbiased std."""
_SCALES = np.logspace(-8, 1, 46)
_WEAK = 0.9
"""Size of an output, as a part of the full one, below which eps has taken over."""
_ROUNDING = 1e-4


@dataclass(frozen=True, eq=False)
class Norms(Demonstration):
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
    """Root mean square of each output when the input is scaled to a std of `_SCALES`."""

    @property
    def factor(self) -> float:
        """What the two should differ by: √((n − 1)/n)."""
        return math.sqrt((self.size - 1) / self.size)

    @property
    def weak_below(self) -> dict[str, float]:
        """The std of the input below which each norm's output is not of full size; 0 for none."""
        found = {name: _SCALES[size < _WEAK] for name, size in self.sizes.items()}
        return {name: float(scales.max(initial=0.0)) for name, scales in found.items()}

    @property
    def verdict(self) -> str:
        """Say how far the factor explains the difference, and where eps matters."""
        explained = self.left < _ROUNDING
        layer, unbiased = self.weak_below.values()
        return (
            f"On the same vectors of {self.size} numbers the outputs differ by "
            f"{short(self.difference)} at most, of {short(self.largest)}: a factor of "
            f"{self.ratio:.4f}. √((n − 1)/n) is {self.factor:.4f}, and with it "
            f"{short(self.left)} is left: the factor explains "
            f"{'all but rounding and eps' if explained else 'only a part'}, and the norm's own "
            "weight can learn it. Where the vectors hardly vary the two part: LayerNorm's output "
            f"falls below {share(_WEAK)} of its size at a std under {short(layer)}, the other's "
            f"under {short(unbiased)}."
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """Give the differences."""
        rows = (
            ("largest output of LayerNorm", self.largest),
            ("largest difference of the two", self.difference),
            ("mean ratio of the two", self.ratio),
            ("√((n − 1)/n)", self.factor),
            ("largest difference after this factor", self.left),
        )
        return (Table("The same vectors through both norms", ("", "measured"), rows),)

    @property
    def lines(self) -> tuple[Lines, ...]:
        """Draw how eps weakens each norm where there is little to normalise."""
        return (
            Lines(
                title="Size of the output for vectors that vary less and less",
                x_title="std of the input",
                y_title="root mean square of the output",
                x=_SCALES,
                lines=self.sizes,
                log_x=True,
            ),
        )


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
    factor = math.sqrt((size - 1) / size)
    unit = (x - x.mean(dim=-1, keepdim=True)).double()
    unit = unit / unit.square().mean(dim=-1, keepdim=True).sqrt()
    scaled = [(unit * scale).float() for scale in _SCALES]
    return Norms(
        size=size,
        largest=a.abs().max().item(),
        difference=(a - b).abs().max().item(),
        ratio=(b.square().sum() / a.square().sum()).sqrt().item(),
        left=(a * factor - b).abs().max().item(),
        sizes={
            f"LayerNorm, eps {LAYER_EPS:g}": np.array([_rms(layer(s)) for s in scaled]),
            f"unbiased std, eps {STD_EPS:g}": np.array([_rms(unbiased(s)) for s in scaled]),
        },
    )


def _rms(x: Tensor) -> float:
    return x.double().square().mean().sqrt().item()
