"""A decoder without a causal mask: the head that most reads the token it should predict."""

from typing import NamedTuple

from viz.run.axes import all_heads
from viz.run.record import Run

PAPER, OPEN = "paper", "headlist"
"""The variant of the paper, and the one without a causal mask."""


class ReadingAhead(NamedTuple):
    """A head, and the mean share of a row's weight on the very next token."""

    layer: int
    head: int
    share: float


def reading_ahead(run: Run) -> ReadingAhead:
    """Find the head of a decoder's self-attention that reads the next token most."""
    weights = all_heads(run, "decoder self-attention")
    following = weights.diagonal(offset=1, axis1=-2, axis2=-1).mean(axis=-1)
    layer, head = divmod(int(following.argmax()), following.shape[1])
    return ReadingAhead(layer, head, float(following[layer, head]))
