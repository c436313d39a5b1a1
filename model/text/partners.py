"""Pairs the positions of one text with those of another."""

import difflib
from collections.abc import Hashable, Sequence


def partners(clean: Sequence[Hashable], corrupt: Sequence[Hashable]) -> tuple[int | None, ...]:
    """Pair the positions of the corrupt source with those of the clean one.

    Equal runs of tokens are paired, replaced runs in their order; other tokens have no partner.
    """
    found: list[int | None] = [None] * len(corrupt)
    matcher = difflib.SequenceMatcher(None, list(clean), list(corrupt), autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag in ("equal", "replace"):
            for i in range(min(end - start, other_end - other_start)):
                found[other_start + i] = start + i
    return tuple(found)
