"""How one text became another: the words that stayed, those that came and those that went."""

import difflib
from collections.abc import Sequence
from typing import Literal, NamedTuple

Fate = Literal["same", "new", "gone"]
_MOST_REPLACED = 0.5
"""Share of the words from which on those that are gone say nothing any more."""


class Stretch(NamedTuple):
    """Words that belong together, and what became of them."""

    fate: Fate
    text: str


def rewording(before: str, after: str) -> tuple[Stretch, ...]:
    """Compare two texts by their words; of one that is all new, nothing is said to be gone."""
    old, new = before.split(), after.split()
    stretches: list[Stretch] = []
    for tag, start, end, first, last in _changes(old, new):
        if tag == "equal":
            stretches.append(Stretch("same", " ".join(new[first:last])))
            continue
        if end > start:
            stretches.append(Stretch("gone", " ".join(old[start:end])))
        if last > first:
            stretches.append(Stretch("new", " ".join(new[first:last])))
    replaced = sum(len(text.split()) for fate, text in stretches if fate == "new")
    if replaced > _MOST_REPLACED * max(len(new), 1):
        return tuple(each for each in stretches if each.fate != "gone")
    return tuple(stretches)


def swaps(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Pair the words that took the place of others; either may be nothing."""
    old, new = before.split(), after.split()
    return tuple(
        (" ".join(old[start:end]), " ".join(new[first:last]))
        for tag, start, end, first, last in _changes(old, new)
        if tag != "equal"
    )


def _changes(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    return difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
