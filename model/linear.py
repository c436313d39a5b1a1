"""Linear maps: the faster of torch's two matrix products on a CPU, with bounded memory."""

import os

import torch
from jaxtyping import Float
from torch import Tensor, nn

_FEWEST_ROWS = 8
_LEAST_WORK = 1 << 21
"""The number of multiplications from which oneDNN is faster, as its calls cost more to prepare."""
_LARGE = 1 << 18
"""The number of elements beyond which a matrix does not fit into a CPU cache."""
_HAS_ONEDNN = torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability() in (
    "AVX2",
    "AVX512",
)

_PLANS = 32
"""The number of products whose plans are kept; a pass on one text needs about ten."""


def keep_few_plans() -> None:
    """Bound the number of oneDNN plans that a process keeps, before it uses the first one.

    Each number of rows and size of a matrix has a plan, with generated code, of more than half a
    megabyte that no statistic counts. oneDNN and torch's layer over it would each keep 1,024 of
    them, and each new text length makes new ones. Making one again takes half a millisecond.
    """
    for capacity in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
        os.environ.setdefault(capacity, str(_PLANS))


class Linear(nn.Linear):
    """torch's linear map, computed by oneDNN if it is large and needs no gradient.

    The product is the same, summed in another order. A traced pass at the paper's base sizes takes
    3% to 6% less time; the single row of a decoding step would take longer.
    """

    def forward(self, input: Float[Tensor, "*axes in"]) -> Float[Tensor, "*axes out"]:
        """Return xW^T + b."""
        rows = input.numel() // self.in_features
        if rows < _FEWEST_ROWS or rows * self.weight.numel() < _LEAST_WORK or not self._may(input):
            return super().forward(input)
        multiply = torch.ops.mkldnn._linear_pointwise
        return multiply(input, self.weight, self.bias, "none", [], "")

    def _may(self, input: Tensor) -> bool:
        """Return whether oneDNN can compute it: no gradients, on a CPU, in single precision."""
        single = input.dtype == self.weight.dtype == torch.float32
        return _HAS_ONEDNN and single and input.is_cpu and not torch.is_grad_enabled()


def store_by_input(model: nn.Module) -> None:
    """Store the large matrices of a model column by column, if it will not be trained.

    The matrices are unchanged for any code that indexes them. A decoding step, with its single row,
    then reads them from memory in a fifth less time; passes with many rows take as long as before.
    """
    for part in model.modules():
        if isinstance(part, nn.Linear):
            weight = part.weight.data
            if weight.numel() >= _LARGE and weight.is_cpu and weight.is_contiguous():
                part.weight.data = weight.t().contiguous().t()
