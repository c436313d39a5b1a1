"""Masks: which keys each query may attend to. True means that it may, as in torch's SDPA."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def padding_mask(ids: Int[Tensor, "batch key"], pad_id: int) -> Bool[Tensor, "batch 1 key"]:
    """Hide padding from every query, in texts where every `pad_id` is padding."""
    return (ids != pad_id).unsqueeze(1)


def length_mask(
    lengths: Sequence[int], *, device: torch.device | None = None
) -> Bool[Tensor, "batch 1 key"]:
    """Hide from every query the positions after the length of each text."""
    ends = torch.tensor(lengths, device=device)[:, None, None]
    return torch.arange(max(lengths), device=device) < ends


def causal_mask(
    length: int, *, past: int = 0, window: int = 0, device: torch.device | None = None
) -> Bool[Tensor, "1 length key"]:
    """Hide later positions: query i sees keys 0 to i (section 3.2.3), or only the last `window`.

    With `past` earlier positions in a cache, the queries are positions past to past + length - 1.
    """
    ones = torch.ones(1, length, past + length, dtype=torch.bool, device=device)
    mask = ones.tril(diagonal=past)
    return mask & ones.triu(diagonal=past - window + 1) if window else mask


def open_mask(length: int, *, device: torch.device | None = None) -> Bool[Tensor, "1 1 length"]:
    """Hide nothing."""
    return torch.ones(1, 1, length, dtype=torch.bool, device=device)
