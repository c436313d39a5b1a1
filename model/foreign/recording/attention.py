"""An attention in third-party code, in the terms of a record, however the code computes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from model.traces import AttentionTrace

FAR_BELOW = -1e4
"""The threshold below which a number added to a score may hide its key; code often adds -1e9."""
Compute = Callable[
    [Tensor, Tensor, Tensor, Tensor | None, Tensor | None],
    tuple[Float[Tensor, "batch head query d_v"], Float[Tensor, "batch head query key"]],
]
"""Computes heads and weights from queries, keys and values, and from scores and a mask if these
replace the attention's own."""


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
    """The arguments of an attention, before anything is computed or edited."""

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
    """Whether the code states mask, scale and bias itself, so that Loupe need not infer them."""
    views: Mapping[str, View] = field(default_factory=dict)
    """For each tensor, by name, the code's own tensors from which it is built."""
    bias_after: Callable[[Tensor, Tensor], Tensor | None] | None = None
    """Returns the term added to the scores of edited queries and keys, if it may depend on them."""
    turned: bool = False
    """Whether the code that reads the heads has positions in the first axis."""
    is_unsplit: bool = False
    """Whether texts and heads share an axis, because nothing proves which is which."""


@dataclass(frozen=True, eq=False)
class RecordedAttention(AttentionTrace):
    """The tensors of an attention, in a record's axes whatever those of its code."""

    mask: Bool[Tensor, "#batch #head #query key"]
    """True if the query may attend to the key, however the module's code expresses that."""
    output: Float[Tensor, "batch query d_model"] | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    """The output of `nn.MultiheadAttention`; None for other code."""
    reads_itself: bool | None = None
    """Whether `nn.MultiheadAttention` received one tensor as queries and keys; None for other
    code."""


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
    if apart * (weights.size(-1) + 2) <= tolerance / 2:  # rows sum to 1 closely enough
        return True
    expected = softmax * weights.sum(dim=-1, keepdim=True)
    is_near = (weights - expected).abs() <= tolerance
    # If all keys of a row are hidden, its weights may be anything.
    return bool((is_near | weights.isnan() | ~mask.any(dim=-1, keepdim=True)).all())


def softmax_of(scores: Tensor, mask: Tensor, *, is_safe: bool = True) -> Tensor:
    """Compute weights; with `is_safe`, a query without any key gets zeros instead of NaN."""
    masked = scores.masked_fill(~mask, -torch.inf)
    weights = masked.softmax(dim=-1)
    if not is_safe:
        return weights
    return weights.masked_fill((masked == -torch.inf).all(dim=-1, keepdim=True), 0.0)


def split_added(added: Tensor) -> tuple[Tensor, Tensor | None]:
    """Split a term added to scores into the mask that it implies, and the rest if there is any."""
    may_read = added > torch.finfo(added.dtype).min / 2
    rest = added.masked_fill(~may_read, 0)
    return may_read, rest if rest.any() else None


def is_unread(weights: Tensor, like: Tensor) -> Tensor:
    """Return where all weights are 0 that share a place of `like`, a mask or a bias."""
    read = weights != 0
    for axis in (0, 1):
        read = read.any(dim=axis, keepdim=True) if like.size(axis) == 1 else read
    return ~read


def once_for_equal(x: Tensor, axes: tuple[int, ...] = (1,)) -> Tensor:
    """Reduce axes along which a mask or a bias is constant to size 1; by default that of heads."""
    for axis in axes:
        first = x.narrow(axis, 0, 1)
        x = first if (x == first).all() else x
    return x


def is_causal(mask: Bool[Tensor, "#batch #head #query key"], n_queries: int) -> bool:
    """Return whether no query reads a later key, if there are as many of both, and several."""
    n_keys = mask.size(-1)
    if n_queries != n_keys or n_queries == 1:
        return False
    later = torch.ones(n_queries, n_keys, dtype=torch.bool, device=mask.device).triu(1)
    return not bool((mask & later).any())
