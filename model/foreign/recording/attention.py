"""An attention of other people's code, asked for in whichever way, in the terms of a record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.traces import AttentionTrace

FAR_BELOW = -1e4
"""The number added to a score to hide its key, if it is finite: usually -1e9."""
Compute = Callable[
    [Tensor, Tensor, Tensor, Tensor | None, Tensor | None],
    tuple[Float[Tensor, "batch head query d_v"], Float[Tensor, "batch head query key"]],
]
"""Heads and weights of queries, keys and values, and of scores and a mask where others take the
place of those that were asked for."""


class View(NamedTuple):
    """A recorded tensor built from the code's own tensors; the code itself does not use it."""

    tensors: tuple[Tensor, ...]
    """The code's own tensors."""
    bring: Callable[..., Tensor]
    """Builds the recorded tensor from them."""
    made: Tensor
    """The recorded tensor."""


@dataclass(frozen=True, eq=False)
class AttentionCall:
    """What an attention was asked for, before anything is computed or edited."""

    query: Float[Tensor, "batch head query d_k"]
    key: Float[Tensor, "batch kv_head key d_k"]
    value: Float[Tensor, "batch kv_head key d_v"]
    mask: Bool[Tensor, "#batch #head #query key"]
    scale: float
    bias: Float[Tensor, "#batch #head #query key"] | None
    compute: Compute
    softcap: float | None = None
    reads_itself: bool | None = None
    is_said: bool = False
    """Whether mask, scale and bias are what its code says of itself, and not what was seen."""
    views: Mapping[str, View] = field(default_factory=dict)
    """By the names of tensors, which of the code's own they are made of."""
    bias_after: Callable[[Tensor, Tensor], Tensor | None] | None = None
    """Returns the term added to the scores of other queries and keys, if it may depend on them."""
    turned: bool = False
    """Whether what reads the heads has positions in its first axis."""
    is_unsplit: bool = False
    """Whether texts and heads are in one axis, as nothing proves which is which."""


@dataclass(frozen=True, eq=False)
class RecordedAttention(AttentionTrace):
    """What an attention computed, whatever axes its code keeps its tensors in."""

    mask: Bool[Tensor, "#batch #head #query key"]
    """True where the query may attend to the key, in whichever way the module's code says it."""
    output: Float[Tensor, "batch query d_model"] | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """What `nn.MultiheadAttention` makes of the heads; None where other code does it."""
    reads_itself: bool | None = None
    """Whether `nn.MultiheadAttention` was given one tensor for queries and keys; None where other
    code makes them."""


def is_softmax_of(
    weights: Float[Tensor, "batch head query key"],
    scores: Float[Tensor, "batch head query key"],
    mask: Bool[Tensor, "#batch #head #query key"],
) -> bool:
    """Return whether weights are the softmax of the masked scores.

    Rows may sum to less than 1: attention sinks take a share of a row and read nothing for it.
    """
    lowest = torch.finfo(scores.dtype).min
    softmax = scores.masked_fill(~mask, lowest).float().softmax(dim=-1)
    tolerance = 1e-4 if weights.dtype == torch.float32 else 2e-2
    weights = weights.float()
    apart = (weights - softmax).abs().max() if weights.numel() else weights.new_zeros(())
    if apart * (weights.size(-1) + 2) <= tolerance / 2:  # then rows sum to 1, nearly enough
        return True
    expected = softmax * weights.sum(dim=-1, keepdim=True)
    is_near = (weights - expected).abs() <= tolerance
    # A row of which all is hidden is whatever the code makes of it.
    return bool((is_near | weights.isnan() | ~mask.any(dim=-1, keepdim=True)).all())


def softmax_of(scores: Tensor, mask: Tensor, *, is_safe: bool = True) -> Tensor:
    """Compute weights; where it is safe, a query without any key reads nothing, and is no NaN."""
    masked = scores.masked_fill(~mask, -torch.inf)
    weights = masked.softmax(dim=-1)
    if not is_safe:
        return weights
    return weights.masked_fill((masked == -torch.inf).all(dim=-1, keepdim=True), 0.0)


def split_added(added: Tensor) -> tuple[Tensor, Tensor | None]:
    """Split what is added to scores into the places that may be read, and the rest of it."""
    may_read = added > torch.finfo(added.dtype).min / 2
    rest = added.masked_fill(~may_read, 0)
    return may_read, rest if rest.any() else None


def is_unread(weights: Tensor, like: Tensor) -> Tensor:
    """Return where nobody reads, among all that a mask or a bias with axes of size 1 is for."""
    read = weights != 0
    for axis in (0, 1):
        read = read.any(dim=axis, keepdim=True) if like.size(axis) == 1 else read
    return ~read


def once_for_equal(x: Tensor, axes: tuple[int, ...] = (1,)) -> Tensor:
    """Return a mask or a bias once for all heads, or other axes that have the same."""
    for axis in axes:
        first = x.narrow(axis, 0, 1)
        x = first if (x == first).all() else x
    return x


def is_causal(mask: Bool[Tensor, "#batch #head #query key"], n_queries: int) -> bool:
    """Return whether no query of several reads a later key, of as many."""
    n_keys = mask.size(-1)
    if n_queries != n_keys or n_queries == 1:
        return False
    later = torch.ones(n_queries, n_keys, dtype=torch.bool, device=mask.device).triu(1)
    return not bool((mask & later).any())
