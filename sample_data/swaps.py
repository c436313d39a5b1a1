"""Words that could replace another: a few of the same kind, always the same."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sample_data.tasks import source_kinds

COUNT = 4
"""The number of words with which one is swapped."""
_NOT_SWAPPED = frozenset({"", "other", "punctuation"})


@dataclass(frozen=True, eq=False)
class Swaps:
    """The source words that a model knows, by kind; digits are a kind of their own."""

    ids: Mapping[str, int]
    kinds: Mapping[str, str]

    def of(self, id: int, count: int = COUNT) -> tuple[int, ...]:
        """Draw other words of a word's kind; none if it has no kind, or is the only one of it."""
        kind = self._kind_of.get(id, "")
        others = [other for other in self._by_kind.get(kind, ()) if other != id]
        return tuple(random.Random(f"swap {id}").sample(others, min(count, len(others))))

    @cached_property
    def _kind_of(self) -> dict[int, str]:
        named = {id: self._kind(word) for word, id in self.ids.items()}
        return {id: kind for id, kind in named.items() if kind not in _NOT_SWAPPED}

    @cached_property
    def _by_kind(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for id in sorted(self._kind_of):
            found.setdefault(self._kind_of[id], []).append(id)
        return found

    def _kind(self, word: str) -> str:
        return "digit" if word.isdecimal() and word.isascii() else self.kinds.get(word, "")


def swaps_of(task: str, ids: Mapping[str, int]) -> Swaps:
    """Find the swaps of a task's source words, of which a model has these ids."""
    return Swaps(ids, source_kinds(task))
