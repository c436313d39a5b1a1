"""What is known of the words of a model: what each can be, and in what company it is seen."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from sample_data.everyday.classes import CONTENT
from sample_data.everyday.senses import Sense

EDGE = "|"
"""Stands for the beginning and the end of a sentence."""
_NONE: frozenset[str] = frozenset()
_Pairs = dict[tuple[str, str], float]
_UNSEEN = 0.5
"""What a pair counts that no sentence has, beside others."""


def tag_of(sense: Sense) -> str:
    """Name part of speech and form together."""
    return f"{sense.part} {sense.form}"


@dataclass(frozen=True, eq=False)
class Lexis:
    """The words that a model knows, and sentences that have them."""

    words: tuple[str, ...]
    senses: Mapping[str, Sequence[Sense]]
    """Of the words of the model and of others."""
    vectors: Float[np.ndarray, "words d_model"]
    """The embedding of each word, centred, of length 1."""
    sentences: Sequence[Sequence[str]]
    lemmas: Mapping[str, str]
    """The base form of each form of a verb."""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Which row of `vectors` a word has."""
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def often(self) -> Counter[str]:
        """How often the sentences have each word."""
        return Counter(word for words in self.sentences for word in words)

    @cached_property
    def company(self) -> tuple[Float[np.ndarray, "words d_model"], ...]:
        """Return the mean vector of what stands before each word, and of what stands after it."""
        before, after = np.zeros_like(self.vectors), np.zeros_like(self.vectors)
        for words in self.sentences:
            for left, right in pairwise(words):
                if left in self.places and right in self.places:
                    before[self.places[right]] += self.vectors[self.places[left]]
                    after[self.places[left]] += self.vectors[self.places[right]]
        return tuple(unit(rows) for rows in (before, after))

    def tags(self, word: str) -> dict[str, float]:
        """Return what a word can be, and how likely each is; empty of a word without a sense."""
        weights: dict[str, float] = defaultdict(float)
        for sense in self.senses.get(word, ()):
            weights[tag_of(sense)] = max(weights[tag_of(sense)], sense.weight)
        whole = sum(weights.values())
        return {tag: weight / whole for tag, weight in weights.items()}

    def likely_tags(self, before: str, after: str) -> dict[str, float]:
        """Return the chance of each tag between two words."""
        lefts, rights, alone = self._counts
        whole = sum(alone.values())
        chances: dict[str, float] = {}
        for tag, count in alone.items():
            usual = count / whole
            chances[tag] = usual
            for counts, neighbour in ((lefts, before), (rights, after)):
                signs = self._signs(neighbour)
                seen = sum(n * counts.get((sign, tag), 0.0) for sign, n in signs.items())
                all_seen = sum(n * counts.get((sign, ""), 0.0) for sign, n in signs.items())
                chances[tag] *= (seen + _UNSEEN * usual) / (all_seen + _UNSEEN) / usual
        total = sum(chances.values())
        return {tag: chance / total for tag, chance in chances.items()} if total else {}

    @cached_property
    def _counts(self) -> tuple[_Pairs, _Pairs, dict[str, float]]:
        """Count the tags behind and before what each word is (with "" all of them), and alone."""
        lefts: _Pairs = defaultdict(float)
        rights: _Pairs = defaultdict(float)
        alone: dict[str, float] = defaultdict(float)
        for words in self.sentences:
            for word, left, right in _with_neighbours(words):
                for tag, chance in self.tags(word).items():
                    alone[tag] += chance
                    for counts, neighbour in ((lefts, left), (rights, right)):
                        for sign, share in self._signs(neighbour).items():
                            counts[sign, tag] += chance * share
                            counts[sign, ""] += chance * share
        return lefts, rights, alone

    def _signs(self, word: str) -> Mapping[str, float]:
        """Return what stands for a word as a neighbour: its tags, or itself, of a closed class."""
        tags = self.tags(word)
        if any(tag.split()[0] in CONTENT for tag in tags):
            return tags
        return {word: 1.0}


def unit(rows: Float[np.ndarray, "words d_model"]) -> Float[np.ndarray, "words d_model"]:
    """Scale each row to the length 1, but for those of zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def read_lexis(
    embeddings: Mapping[str, Float[np.ndarray, " d_model"]],
    classes: Mapping[str, str],
    senses: Mapping[str, Sequence[Sense]],
    sentences: Iterable[Collection[str]],
    lemmas: Mapping[str, str],
) -> Lexis:
    """Bring together what is known of a model's words.

    Args:
        embeddings: Of each word.
        classes: The part of speech of words that have no senses.
        senses: Of words, known or not.
        sentences: Texts that a model could have learnt from, in words.
        lemmas: The base form of each form of a verb.
    """
    words = tuple(embeddings)
    rows = np.stack([embeddings[word] for word in words])
    plain = {
        word: (Sense(part, "", _NONE, _NONE, 1.0),)
        for word, part in classes.items()
        if word not in senses
    }
    told = [tuple(sentence) for sentence in sentences]
    return Lexis(words, {**senses, **plain}, unit(rows - rows.mean(axis=0)), told, lemmas)


def _with_neighbours(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for place, word in enumerate(words):
        left = words[place - 1] if place else EDGE
        right = words[place + 1] if place + 1 < len(words) else EDGE
        yield word, left, right
