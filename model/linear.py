"""Linear maps: the faster of the two products that torch has for a processor, and their memory."""

import os

import torch
from jaxtyping import Float
from torch import Tensor, nn

_FEWEST_ROWS = 8
_LEAST_WORK = 1 << 21
"""Multiplications from which it pays to ask oneDNN: preparing a call costs it more."""
_LARGE = 1 << 18
"""Numbers of a matrix that no cache near a processor holds."""
_HAS_ONEDNN = torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability() in (
    "AVX2",
    "AVX512",
)

_PLANS = 32
"""Of products, the latest; a pass of one text takes some ten."""


def keep_few_plans() -> None:
    """Bound what is kept of oneDNN's products, in a process that has asked it for none so far.

    For each number of rows and size of a matrix there is a plan, generated code included: more than
    half a megabyte that is counted nowhere. oneDNN and torch's layer over it would each keep 1,024,
    and texts of other lengths make new ones. Making one anew takes half a millisecond.
    """
    for capacity in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
        os.environ.setdefault(capacity, str(_PLANS))


class Linear(nn.Linear):
    """torch's own, by oneDNN where nothing is to be differentiated and there is much to multiply.

    The same product, summed in another order. A traced pass at the paper's base sizes takes 3 to 6
    hundredths less; the one row of a decoding step would take longer.
    """

    def forward(self, input: Float[Tensor, "*axes in"]) -> Float[Tensor, "*axes out"]:
        """Return xW^T + b."""
        rows = input.numel() // self.in_features
        if rows < _FEWEST_ROWS or rows * self.weight.numel() < _LEAST_WORK or not self._may(input):
            return super().forward(input)
        multiply = torch.ops.mkldnn._linear_pointwise
        return multiply(input, self.weight, self.bias, "none", [], "")

    def _may(self, input: Tensor) -> bool:
        """Return whether oneDNN can do it: no gradients, on a processor, in single precision."""
        single = input.dtype == self.weight.dtype == torch.float32
        return _HAS_ONEDNN and single and input.is_cpu and not torch.is_grad_enabled()


def store_by_input(model: nn.Module) -> None:
    """Store the large matrices of a model that only runs input by input, not output by output.

    They are what they were, also to whoever indexes them. The one row of a decoding step reads them
    from memory in a fifth less time that way; many rows take as long as before.
    """
    for part in model.modules():
        if isinstance(part, nn.Linear):
            weight = part.weight.data
            if weight.numel() >= _LARGE and weight.is_cpu and weight.is_contiguous():
                part.weight.data = weight.t().contiguous().t()
