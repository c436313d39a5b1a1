"""Which token of one text stands for which of another: by what they share, by gold, by hand."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from model.attribution.patching import partners as partners_of

Pair = tuple[int | None, int | None]
"""A token of the first text and its partner in the second; None on a side that lacks one."""
Pairs = tuple[Pair, ...]
"""Every token of both texts, once: as the first has them, the second's own where they stand."""
Links = frozenset[tuple[int, int]]
"""A gold alignment: positions of a target, and positions of its source."""


def align_texts(a: Sequence[str], b: Sequence[str]) -> Pairs:
    """Pair equal runs of tokens, and within replaced runs one after the other.

    The runs are those of Ratcliff and Obershelp, as difflib finds them.
    """
    found = {i: j for j, i in enumerate(partners_of(a, b)) if i is not None}
    return in_order(found, len(a), len(b))


def align_ends(a: Sequence[str], b: Sequence[str]) -> Pairs:
    """Pair only what both texts begin with and what both end with."""
    shortest = min(len(a), len(b))
    first = next((i for i in range(shortest) if a[i] != b[i]), shortest)
    left = shortest - first
    last = next((i for i in range(left) if a[-1 - i] != b[-1 - i]), left)
    partners = {i: i for i in range(first)}
    partners |= {len(a) - 1 - i: len(b) - 1 - i for i in range(last)}
    return in_order(partners, len(a), len(b))


def align_by_gold(
    usual: Pairs, gold: tuple[Links, Links], sources: Pairs, sizes: tuple[int, int]
) -> Pairs:
    """Pair the targets' tokens that translate the same words of the sources.

    Args:
        usual: How tokens that translate nothing are paired, where both are still free.
        gold: Positions in the target and in the source, of either text.
        sources: The sources' tokens in pairs.
        sizes: Tokens of the targets.
    """
    in_b = {i: j for i, j in sources if i is not None and j is not None}
    of_a, of_b = map(_by_target, gold)
    partners: dict[int, int] = {}
    for position in sorted(of_a):
        meant = {in_b[source] for source in of_a[position] if source in in_b}
        free = [j for j in sorted(of_b) if j not in partners.values() and meant & of_b[j]]
        if free:
            partners[position] = max(free, key=lambda j: len(meant & of_b[j]))
    taken = set(partners.values())
    partners |= {
        i: j
        for i, j in usual
        if i is not None and j is not None and i not in of_a and j not in (of_b.keys() | taken)
    }
    return in_order(partners, *sizes)


def align_by_hand(pairs: Pairs, chosen: Iterable[tuple[int, int]]) -> Pairs:
    """Pair tokens as someone chose; a pair that is chosen again is taken apart.

    What is paired anew leaves its partner. Positions that are not there are passed over.
    """
    partners = {i: j for i, j in pairs if i is not None and j is not None}
    size_a = sum(i is not None for i, _ in pairs)
    size_b = sum(j is not None for _, j in pairs)
    for i, j in chosen:
        if not (0 <= i < size_a and 0 <= j < size_b):
            continue
        was_paired = partners.get(i) == j
        partners = {a: b for a, b in partners.items() if a != i and b != j}
        if not was_paired:
            partners[i] = j
    return in_order(partners, size_a, size_b)


def in_order(partners: Mapping[int, int], size_a: int, size_b: int) -> Pairs:
    """List all tokens of two texts in pairs: those without a partner stay where they stand."""
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
    """Count positions from `first` on, and keep those of the next so many tokens of either text."""

    def moved(position: int | None, size: int) -> int | None:
        at = None if position is None else position - first
        return at if at is not None and 0 <= at < size else None

    shifted = ((moved(i, sizes[0]), moved(j, sizes[1])) for i, j in pairs)
    return tuple(pair for pair in shifted if pair != (None, None))


def _by_target(links: Links) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for target, source in links:
        found[target].add(source)
    return dict(found)
