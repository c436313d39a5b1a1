"""Words that could stand in another's place: a few of the same part of speech, always the same."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sample_data.tasks import source_classes

COUNT = 4
"""Words that one is swapped for."""
_NOT_SWAPPED = frozenset({"", "other", "punctuation"})


@dataclass(frozen=True, eq=False)
class Swaps:
    """The source words that a model knows, by part of speech; digits are one of their own."""

    ids: Mapping[str, int]
    classes: Mapping[str, str]

    def of(self, id: int, count: int = COUNT) -> tuple[int, ...]:
        """Draw other words of a word's class; none where it has no class, or is alone in it."""
        kind = self._class_of.get(id, "")
        others = [other for other in self._by_class.get(kind, ()) if other != id]
        return tuple(random.Random(f"swap {id}").sample(others, min(count, len(others))))

    @cached_property
    def _class_of(self) -> dict[int, str]:
        named = {id: self._class(word) for word, id in self.ids.items()}
        return {id: kind for id, kind in named.items() if kind not in _NOT_SWAPPED}

    @cached_property
    def _by_class(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for id in sorted(self._class_of):
            found.setdefault(self._class_of[id], []).append(id)
        return found

    def _class(self, word: str) -> str:
        return "digit" if word.isdecimal() and word.isascii() else self.classes.get(word, "")


def swaps_of(task: str, ids: Mapping[str, int]) -> Swaps:
    """Find the swaps of a task's source words, of which a model has these ids."""
    return Swaps(ids, source_classes(task))
