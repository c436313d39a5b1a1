"""Texts of repeated random tokens, and the mean weights of heads over several of them."""

from collections.abc import Sequence

import torch

from model.attribution.copying import HeadReading, Share


def draw_repeated(ids: Sequence[int], length: int, draw: torch.Generator) -> tuple[int, ...]:
    """Draw different ids at random, and write them twice."""
    order = torch.randperm(len(ids), generator=draw)[:length].tolist()
    once = tuple(ids[i] for i in order)
    return (*once, *once)


def mean_share(shares: Sequence[Share]) -> Share:
    """Average a share of a head's weight over texts."""
    rows = [(each.weight, each.each, each.others) for each in shares]
    return Share(*(sum(column) / len(rows) for column in zip(*rows, strict=True)))


def mean_reading(readings: Sequence[HeadReading]) -> HeadReading:
    """Average the weights of one head over texts."""
    first = readings[0]
    return HeadReading(
        first.layer,
        first.head,
        mean_share([each.on_previous for each in readings]),
        mean_share([each.on_copies for each in readings]),
    )
