"""Aligns the tokens of two texts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from model.text.partners import partners as partners_of

Pair = tuple[int | None, int | None]
"""A token of the first text and its partner in the second; None on a side that lacks one."""
Pairs = tuple[Pair, ...]
"""Every token of both texts once, in the order of the first; extra ones of the second in place."""


def align_texts(a: Sequence[str], b: Sequence[str]) -> Pairs:
    """Pair equal runs of tokens, and the tokens of replaced runs in their order.

    The runs are those of Ratcliff and Obershelp, as difflib finds them.
    """
    found = {i: j for j, i in enumerate(partners_of(a, b)) if i is not None}
    return in_order(found, len(a), len(b))


def in_order(partners: Mapping[int, int], size_a: int, size_b: int) -> Pairs:
    """Return all tokens of two texts as pairs; those without a partner keep their place."""
    of_b = {j: i for i, j in partners.items()}
    behind: dict[int, list[int]] = defaultdict(list)
    last = -1
    for j in range(size_b):
        if j in of_b:
            last = of_b[j]
        else:
            behind[last].append(j)
    found: list[Pair] = [(None, j) for j in behind[-1]]
    for i in range(size_a):
        found.append((i, partners.get(i)))
        found += [(None, j) for j in behind[i]]
    return tuple(found)


def shift_pairs(pairs: Pairs, first: int, sizes: tuple[int, int]) -> Pairs:
    """Count positions from `first` on, and keep those of the next `sizes` tokens of each text."""

    def moved(position: int | None, size: int) -> int | None:
        at = None if position is None else position - first
        return at if at is not None and 0 <= at < size else None

    shifted = ((moved(i, sizes[0]), moved(j, sizes[1])) for i, j in pairs)
    return tuple(pair for pair in shifted if pair != (None, None))
