"""Large matrices kept in bfloat16, as they were stored, and widened where they are used.

All that a model computes is float32 then, so that pages and checks need not know: only its memory
is halved. Half-precision arithmetic, which would leave three digits of every number, is never done.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from model.linear import Linear
from model.transformer import Transformer


class ShortLinear(nn.Linear):
    """A linear map of float32 whose matrix is kept in bfloat16."""

    def forward(self, input: Float[Tensor, "*axes in"]) -> Float[Tensor, "*axes out"]:
        """Widen the matrix, for the time of one product."""
        return functional.linear(input, self.weight.to(input.dtype), self.bias)


def keep_short(model: Transformer) -> None:
    """Let a model that has no numbers yet widen its matrices where they are used."""
    for embedding in (model.source_embedding, model.target_embedding):
        if embedding is not None:
            embedding.widens = True
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child) is Linear:
                short = ShortLinear(
                    child.in_features,
                    child.out_features,
                    bias=child.bias is not None,
                    device=child.weight.device,
                )
                short.weight, short.bias = child.weight, child.bias  # which others may share
                setattr(module, name, short)


def short_parameters(model: Transformer) -> frozenset[int]:
    """Return the identities of the parameters that stay short: large matrices, and no others."""
    embeddings = (model.source_embedding, model.target_embedding)
    large = [embedding.weight for embedding in embeddings if embedding is not None]
    large += [module.weight for module in model.modules() if isinstance(module, ShortLinear)]
    return frozenset(map(id, large))


def widened(tensor: Tensor) -> Tensor:
    """Return a tensor in at least float32; the same one where it is."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))
