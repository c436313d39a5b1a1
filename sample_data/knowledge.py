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
    """Gives random pairs: without end, or each pair of a finite corpus once."""
    wanted_pairs: Callable[[random.Random, Callable[[str], bool]], Iterable[Pair]] | None = None
    """Gives the same pairs, without those whose source is not wanted, if that takes less than
    making and dropping them."""
    rare_pairs: Callable[[random.Random, Iterable[Pair]], Iterable[Pair]] | None = None
    """Gives random pairs with words that the given ones have too rarely to be learnt."""
    read: Callable[[str], Pair | None]
    """Works out the pair of a source in small letters; None if there is none."""
    makes_sense: Callable[[str], bool] = lambda _source: True
    """Returns whether the words of a source that can be read go together."""
    word_classes: Callable[[], WordClasses] | None = None
    """Gives facts about its words; called when they are needed, since it may take a second."""
    source_classes: Callable[[], Mapping[str, str]] | None = None
    """Gives the part of speech of source words alone: those of the target may take much longer."""
    source_kinds: Callable[[], Mapping[str, str]] | None = None
    """Gives the kind of each source word, the most frequent words first. A word can replace another
    of its kind."""
    senses: Callable[[], Senses] | None = None
    """Gives what its nouns are, and what its adjectives are said of."""
    unknown_words: Callable[[], Mapping[str, Any]] | None = None
    """Gives the tokens that stand for unknown words, and what tells which; None without any."""
    construction: Callable[[str], str | None] | None = None
    """Names the kind of sentence that a source is, where scores are told apart by it."""

    @property
    def scored_words(self) -> frozenset[str]:
        """The target words that a head is scored on apart; none where all are worth it."""
        return self.word_classes().scored if self.word_classes else frozenset()
