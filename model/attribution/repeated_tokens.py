"""Random tokens that are repeated, and what heads do on several such texts in the mean."""

from collections.abc import Sequence

import torch

from model.attribution.copying import HeadReading, Share


def draw_repeated(ids: Sequence[int], length: int, draw: torch.Generator) -> tuple[int, ...]:
    """Draw different ids at random, and write them twice."""
    order = torch.randperm(len(ids), generator=draw)[:length].tolist()
    once = tuple(ids[i] for i in order)
    return (*once, *once)


def mean_share(shares: Sequence[Share]) -> Share:
    """Average what a head gives to certain tokens, over texts."""
    rows = [(each.weight, each.each, each.others) for each in shares]
    return Share(*(sum(column) / len(rows) for column in zip(*rows, strict=True)))


def mean_reading(readings: Sequence[HeadReading]) -> HeadReading:
    """Average what one head reads, over texts."""
    first = readings[0]
    return HeadReading(
        first.layer,
        first.head,
        mean_share([each.on_previous for each in readings]),
        mean_share([each.on_copies for each in readings]),
    )
