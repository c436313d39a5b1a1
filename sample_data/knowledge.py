"""The functions of a task: they write and read its pairs, and know its words."""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sample_data.pairs import Pair
from sample_data.word_classes import Senses, WordClasses


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """The functions of one task."""

    pairs: Callable[[random.Random], Iterable[Pair]]
    """Yields random pairs without end, or each pair of a finite corpus once."""
    wanted_pairs: Callable[[random.Random, Callable[[str], bool]], Iterable[Pair]] | None = None
    """Yields the same pairs, but only those with wanted sources, if that is faster than dropping
    them."""
    rare_pairs: Callable[[random.Random, Iterable[Pair]], Iterable[Pair]] | None = None
    """Yields random pairs with words that are too rare in the given ones to be learned."""
    read: Callable[[str], Pair | None]
    """Finds the pair of a source in small letters; None if there is none."""
    makes_sense: Callable[[str], bool] = lambda _source: True
    """Returns whether the words of a readable source make sense together."""
    word_classes: Callable[[], WordClasses] | None = None
    """Returns facts about its words; called only when needed, because it may take a second."""
    source_classes: Callable[[], Mapping[str, str]] | None = None
    """Returns the part of speech of source words alone, as those of the target may take longer."""
    source_kinds: Callable[[], Mapping[str, str]] | None = None
    """Returns the kind of each source word, the most frequent words first. A word can replace
    another of its kind."""
    senses: Callable[[], Senses] | None = None
    """Returns the senses of nouns and of the nouns that adjectives describe."""
    unknown_words: Callable[[], Mapping[str, Any]] | None = None
    """Returns the tokens for unknown words, and the words that tell them apart; None without
    any."""
    construction: Callable[[str], str | None] | None = None
    """Names the construction of a source, if scores are reported by it."""

    @property
    def scored_words(self) -> frozenset[str]:
        """The target words on which a head is scored separately; none if all are."""
        return self.word_classes().scored if self.word_classes else frozenset()
