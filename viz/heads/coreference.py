"""What "it" means in a sentence that only sense resolves, as the sample data know it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from sample_data.classes import CONTENT_CLASSES
from sample_data.everyday import english_classes
from sample_data.everyday.language import grammar
from sample_data.tasks import source_classes
from viz.run.alignment import known_pair

PRONOUNS = ("il", "elle")
_ANAPHORIC = frozenset({"it", "he", "she", "they", "him", "them"})
"""English pronouns that refer to an earlier noun."""
PRONOUN = "it"
"""The word that is resolved."""
_BECAUSE = "because"
_MOST_TRIED = 120
"""The number of adjectives to try instead of the sentence's own, the likeliest first."""


@dataclass(frozen=True)
class Meaning:
    """What "it" stands for. Positions count the words of the source."""

    it: int
    candidates: tuple[int, int]
    """The two nouns that it could be, in the order of the sentence."""
    right: int
    """The one that it is."""
    pronoun: str
    """What it is in French."""
    adjective: int


@dataclass(frozen=True)
class _Said:
    """What a noun is, or what an adjective is said of."""

    kinds: frozenset[str]
    lives: bool | None
    """Whether it is of what lives; None where it may be of both."""
    gender: str = ""


def find_meaning(task: str, words: tuple[str, ...]) -> Meaning | None:
    """Resolve "it" in the words of a source; None where the sample data do not say what it is."""
    if words.count(PRONOUN) != 1 or _BECAUSE not in words:
        return None
    it = words.index(PRONOUN)
    adjective = _adjective(words, it)
    candidates = _candidates(words[: it - 1])
    pair = known_pair(task, " ".join(words))
    if words[it - 1] != _BECAUSE or adjective is None or candidates is None or pair is None:
        return None
    written = pair.target.split()
    links = sorted(at for word, at in pair.alignment if word == it and written[at] in PRONOUNS)
    if len(links) != 1 or pair.source.split() != list(words):
        return None
    pronoun = written[links[0]]
    right = _right(words, candidates, adjective, pronoun)
    if right is None:
        return None
    return Meaning(it, candidates, right, pronoun, adjective)


class Askable(NamedTuple):
    """The words of a source that are worth asking about; positions count its words."""

    pronouns: set[int]
    """Those that may stand for a noun before them."""
    nouns: set[int]
    content: set[int]


def askable(task: str, words: Sequence[str]) -> Askable:
    """Find what is worth asking about: nothing of a task whose words have no classes."""
    of_class = source_classes(task)
    classes = [of_class.get(word) for word in words]
    nouns = {at for at, kind in enumerate(classes) if kind == "noun"}
    first = min(nouns, default=len(words))
    return Askable(
        {at for at, word in enumerate(words) if word in _ANAPHORIC and at > first},
        nouns,
        {at for at, kind in enumerate(classes) if kind in CONTENT_CLASSES},
    )


def other_readings(
    task: str, words: tuple[str, ...], meaning: Meaning, examples: Iterable[tuple[str, ...]] = ()
) -> Iterator[str]:
    """Find adjectives with which "it" becomes the other noun and another French pronoun.

    First those with which the sentence is one of the examples, given by their words; then those
    that are said of such a noun, the most frequent first.
    """
    own = [*_of_examples(words, meaning, examples)]
    wanted = next(noun for noun in meaning.candidates if noun != meaning.right)
    tried: set[str] = {words[meaning.adjective]}
    for adjective in islice(chain(own, _said_of(words[wanted])), _MOST_TRIED):
        if adjective in tried:
            continue
        tried.add(adjective)
        changed = (*words[: meaning.adjective], adjective, *words[meaning.adjective + 1 :])
        found = find_meaning(task, changed)
        if found and found.right == wanted and found.pronoun != meaning.pronoun:
            yield adjective


def _of_examples(
    words: tuple[str, ...], meaning: Meaning, examples: Iterable[tuple[str, ...]]
) -> Iterator[str]:
    """Find the adjectives of the examples that are these words but for the adjective."""
    at = meaning.adjective
    for other in examples:
        if len(other) == len(words) and (*other[:at], words[at], *other[at + 1 :]) == words:
            yield other[at]


def _said_of(noun: str) -> Iterator[str]:
    lexicon = _lexicon()
    about = lexicon.nouns[noun]
    for adjective, of in lexicon.adjectives.items():
        if of.lives == about.lives and of.kinds & about.kinds:
            yield adjective


def _adjective(words: tuple[str, ...], it: int) -> int | None:
    """Find the last adjective after "it": the one that it is said to be."""
    known = _lexicon().adjectives
    return next((at for at in range(len(words) - 1, it, -1) if words[at] in known), None)


def _candidates(words: tuple[str, ...]) -> tuple[int, int] | None:
    """Find the only two nouns, each by the last word of it."""
    of_class = english_classes()
    nouns = [at for at, word in enumerate(words) if of_class.get(word) == "noun"]
    ends = [at for at in nouns if at + 1 not in nouns]
    return (ends[0], ends[1]) if len(ends) == 2 else None


def _right(
    words: tuple[str, ...], candidates: tuple[int, int], adjective: int, pronoun: str
) -> int | None:
    """Choose by gender, or where both nouns have the same one by what the adjective is said of."""
    said = _lexicon()
    nouns = [said.nouns.get(words[at]) for at in candidates]
    if nouns[0] is None or nouns[1] is None:
        return None
    wanted = "m" if pronoun == "il" else "f"
    fits = [noun.gender == wanted for noun in nouns if noun]
    if fits[0] == fits[1]:
        lives = said.adjectives[words[adjective]].lives
        fits = [noun.lives == lives for noun in nouns if noun]
    return candidates[fits.index(True)] if fits.count(True) == 1 else None


@dataclass(frozen=True)
class _Lexicon:
    nouns: dict[str, _Said]
    adjectives: dict[str, _Said]
    """The most frequent first."""


@cache
def _lexicon() -> _Lexicon:
    lives = {frozenset({"animate"}): True, frozenset({"thing"}): False}
    found: list[dict[str, _Said]] = []
    for category in ("Noun", "Adjective"):
        entries = sorted(grammar().entries[category], key=lambda entry: -entry.weight)
        said: dict[str, _Said] = {}
        for entry in entries:
            features = entry.features
            gender = "".join(sorted(features.get("gen", ())))
            kinds = frozenset(features.get("kind", ()))
            of = frozenset(features.get("of", ()))
            said.setdefault(entry.english[-1], _Said(kinds, lives.get(of), gender))
        found.append(said)
    return _Lexicon(*found)
