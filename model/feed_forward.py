"""The position-wise feed-forward network (section 3.3 of the paper)."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from model.config import Activation
from model.dropout import Dropout
from model.edits import NO_EDITS, Edits
from model.linear import Linear
from model.traces import FeedForwardTrace

_ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu_,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
}


def activate(kind: Activation, x: Tensor) -> Tensor:
    """Apply an activation in place, to a tensor that nothing else needs."""
    return _ACTIVATIONS[kind](x)


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between, the same at every position (equation 2).

    Other models have another activation, or a third map whose result is gated.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Activation = "relu",
        gated: bool = False,
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.activation: Activation = activation
        self.expand = Linear(d_model, d_ff, bias=bias)
        self.gate = Linear(d_model, d_ff, bias=bias) if gated else None
        self.contract = Linear(d_ff, d_model, bias=bias)
        self.dropout = Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "batch position d_model"], *, edits: Edits = NO_EDITS
    ) -> FeedForwardTrace:
        """Transform each position by itself."""
        if self.gate is None:
            hidden = activate(self.activation, self.expand(x))
        else:
            hidden = activate(self.activation, self.gate(x)) * self.expand(x)
        hidden = edits.apply("hidden", hidden)
        output = edits.apply("output", self.contract(self.dropout(hidden)))
        return FeedForwardTrace(hidden=hidden, output=output)
