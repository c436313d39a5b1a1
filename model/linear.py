"""Linear maps, by the faster of the two products that torch has for a processor."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

_FEWEST_ROWS = 8
_LEAST_WORK = 1 << 21
"""Multiplications from which it pays to ask oneDNN: preparing a call costs it more."""
_HAS_ONEDNN = torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability() in (
    "AVX2",
    "AVX512",
)


class Linear(nn.Linear):
    """torch's own, by oneDNN where nothing is to be differentiated and there is much to multiply.

    The same product, summed in another order. A traced pass at the paper's base sizes takes 3 to 6
    hundredths less; the one row of a decoding step would take longer.
    """

    def forward(self, input: Float[Tensor, "*axes in"]) -> Float[Tensor, "*axes out"]:
        """Give xW^T + b."""
        rows = input.numel() // self.in_features
        if rows < _FEWEST_ROWS or rows * self.weight.numel() < _LEAST_WORK or not self._may(input):
            return super().forward(input)
        multiply = torch.ops.mkldnn._linear_pointwise
        return multiply(input, self.weight, self.bias, "none", [], "")

    def _may(self, input: Tensor) -> bool:
        """Tell whether oneDNN can do it: no gradients, on a processor, in single precision."""
        single = input.dtype == self.weight.dtype == torch.float32
        return _HAS_ONEDNN and single and input.is_cpu and not torch.is_grad_enabled()
