"""The distance of a recorded pass from a plain one, in the rows that attentions read."""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from model.foreign.recording.sums import tensors_in


def distance(plain: object, output: object, masks: Sequence[Tensor]) -> float:
    """Return the largest distance of two outputs, in the rows that an attention reads.

    `masks`, (batch, head, query, key), mark the keys that an attention may read. A position that no
    attention reads, such as padding, does not count: torch's fused path may leave such rows out,
    and later functions then compute numbers from its zeros.
    """
    unread = list(_unread(masks))
    hides = any(bool(each.any()) for each in unread)
    pairs = zip(tensors_in(plain), tensors_in(output), strict=True)
    return max((_distance(a, b, unread if hides else []) for a, b in pairs), default=0.0)


def _unread(masks: Sequence[Tensor]) -> Iterator[Tensor]:
    """Yield, for each text length, the positions that no attention reads: (batch, position)."""
    found: dict[int, Tensor] = {}
    for mask in masks:
        hidden = ~mask.flatten(1, 2).any(dim=1)
        before = found.get(hidden.size(1))
        if before is not None and len(before) not in (1, len(hidden)) and len(hidden) != 1:
            hidden = torch.zeros_like(before)
        found[hidden.size(1)] = hidden if before is None else before & hidden
    yield from found.values()


def _distance(plain: Tensor, output: Tensor, unread: Sequence[Tensor]) -> float:
    if plain.shape != output.shape or plain.numel() == 0:
        return math.inf if plain.shape != output.shape else 0.0
    wide = torch.promote_types(plain.dtype, torch.float32)
    apart = (plain.to(wide) - output.to(wide)).abs()
    apart = apart.masked_fill(plain.isnan() & output.isnan(), 0).nan_to_num(nan=math.inf)
    for rows in unread:
        apart = _without(apart, rows)
    if unread and plain.dim() > 1:  # torch left these rows out as zeros
        apart = apart.masked_fill((plain == 0).all(dim=-1, keepdim=True), 0)
    return apart.max().item()


def _without(apart: Tensor, rows: Tensor) -> Tensor:
    """Ignore rows of an output that has them in its first axes, in either order or merged."""
    for places in (rows, rows.T, rows.flatten(), rows.T.flatten()):
        lead = apart.shape[: places.dim()]
        fits = len(lead) == places.dim() and all(
            size in (1, there) for size, there in zip(places.shape, lead, strict=True)
        )
        if fits and (places.dim() == 2 or len(places) == lead[0]):
            more = [1] * (apart.dim() - places.dim())
            return apart.masked_fill(places.reshape(*places.shape, *more), 0)
    return apart
