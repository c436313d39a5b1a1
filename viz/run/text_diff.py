"""The difference of two texts: the words that stayed, the new ones and those that are gone."""

import difflib
from collections.abc import Sequence
from typing import Literal, NamedTuple

Fate = Literal["same", "new", "gone"]
_MOST_REPLACED = 0.5
"""Share of new words above which the words that are gone are not shown."""


class Stretch(NamedTuple):
    """Consecutive words with the same fate."""

    fate: Fate
    text: str


def rewording(before: str, after: str) -> tuple[Stretch, ...]:
    """Compare two texts word by word; if most words are new, leave out those that are gone."""
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
    """Pair words with their replacements; either may be empty."""
    old, new = before.split(), after.split()
    return tuple(
        (" ".join(old[start:end]), " ".join(new[first:last]))
        for tag, start, end, first, last in _changes(old, new)
        if tag != "equal"
    )


def _changes(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    return difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
