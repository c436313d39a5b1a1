"""The position-wise feed-forward network (section 3.3 of the paper)."""

from jaxtyping import Float
from torch import Tensor, nn

from model.edits import NO_EDITS, Edits
from model.traces import FeedForwardTrace


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between, the same at every position (equation 2)."""

    def __init__(self, d_model: int, d_ff: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "batch position d_model"], *, edits: Edits = NO_EDITS
    ) -> FeedForwardTrace:
        """Transform each position by itself."""
        hidden = edits.apply("hidden", self.expand(x).relu_())
        output = edits.apply("output", self.contract(self.dropout(hidden)))
        return FeedForwardTrace(hidden=hidden, output=output)
