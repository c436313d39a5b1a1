"""The mean of the effects measured on several texts, or on several pairs of texts."""

from collections.abc import Sequence

import torch

from loupe.effects import Effects


def mean_of(found: Sequence[Effects]) -> Effects:
    """Average the effects on several texts: NaN if one of them has no number.

    A label that differs between them becomes its number. Raises ValueError if they are of
    different sizes.
    """
    first = found[0]
    if len(found) == 1:
        return first
    for other in found[1:]:
        if other.values.shape != first.values.shape:
            sizes = tuple(first.values.shape), tuple(other.values.shape)
            raise ValueError(
                "texts whose effects are averaged must have the same parts and, if positions are "
                "patched, the same number of tokens, got {} and {}".format(*sizes)
            )
    goals = [each.goal for each in found if each.goal is not None]
    return Effects(
        torch.stack([each.values for each in found]).mean(dim=0),
        first.axes,
        tuple(_shared(labels) for labels in zip(*(each.labels for each in found), strict=True)),
        sum(each.before for each in found) / len(found),
        sum(goals) / len(found) if len(goals) == len(found) else None,
    )


def _shared(labels: Sequence[Sequence[str]]) -> tuple[str, ...]:
    columns = zip(*labels, strict=True)
    return tuple(
        each[0] if len(set(each)) == 1 else str(number) for number, each in enumerate(columns)
    )
