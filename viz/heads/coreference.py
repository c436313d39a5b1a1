"""The meaning of "it" in a sentence that only its sense resolves, from the sample data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from sample_data.classes import CONTENT_CLASSES
from sample_data.tasks import TASKS, source_classes
from sample_data.word_classes import Senses
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
    """The noun that "it" refers to. Positions count the words of the source."""

    it: int
    candidates: tuple[int, int]
    """The two possible nouns, in the order of the sentence."""
    right: int
    """The correct noun."""
    pronoun: str
    """The French pronoun for "it"."""
    adjective: int


def find_meaning(task: str, words: tuple[str, ...]) -> Meaning | None:
    """Resolve "it" in the words of a source; None if the sample data do not know its noun."""
    senses = _senses(task)
    if senses is None or words.count(PRONOUN) != 1 or _BECAUSE not in words:
        return None
    it = words.index(PRONOUN)
    adjective = _adjective(senses, words, it)
    candidates = _candidates(source_classes(task), words[: it - 1])
    pair = known_pair(task, " ".join(words))
    if words[it - 1] != _BECAUSE or adjective is None or candidates is None or pair is None:
        return None
    written = pair.target.split()
    links = sorted(at for word, at in pair.alignment if word == it and written[at] in PRONOUNS)
    if len(links) != 1 or pair.source.split() != list(words):
        return None
    pronoun = written[links[0]]
    right = _right(senses, words, candidates, adjective, pronoun)
    if right is None:
        return None
    return Meaning(it, candidates, right, pronoun, adjective)


class Askable(NamedTuple):
    """The words of a source that a lesson can ask about; positions count its words."""

    pronouns: set[int]
    """Pronouns that may refer to an earlier noun."""
    nouns: set[int]
    content: set[int]


def askable(task: str, words: Sequence[str]) -> Askable:
    """Find the words to ask about; none for a task without classes of words."""
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
    """Find adjectives with which "it" refers to the other noun and gets another French pronoun.

    First those that make the sentence equal to one of the examples, given by their words; then
    those that fit the other noun, the most frequent first.
    """
    senses = _senses(task)
    if senses is None:
        return
    own = [*_of_examples(words, meaning, examples)]
    wanted = next(noun for noun in meaning.candidates if noun != meaning.right)
    tried: set[str] = {words[meaning.adjective]}
    for adjective in islice(chain(own, _said_of(senses, words[wanted])), _MOST_TRIED):
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
    """Find the adjectives of examples that differ from these words only in the adjective."""
    at = meaning.adjective
    for other in examples:
        if len(other) == len(words) and (*other[:at], words[at], *other[at + 1 :]) == words:
            yield other[at]


def _said_of(senses: Senses, noun: str) -> Iterator[str]:
    about = senses.nouns[noun]
    for adjective, of in senses.adjectives.items():
        if of.lives == about.lives and of.kinds & about.kinds:
            yield adjective


def _adjective(senses: Senses, words: tuple[str, ...], it: int) -> int | None:
    """Return the place of the last adjective after "it", which describes it."""
    adjectives = senses.adjectives
    return next((at for at in range(len(words) - 1, it, -1) if words[at] in adjectives), None)


def _candidates(of_class: Mapping[str, str], words: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the two nouns, each by its last word; None unless there are exactly two."""
    nouns = [at for at, word in enumerate(words) if of_class.get(word) == "noun"]
    ends = [at for at in nouns if at + 1 not in nouns]
    return (ends[0], ends[1]) if len(ends) == 2 else None


def _right(
    senses: Senses,
    words: tuple[str, ...],
    candidates: tuple[int, int],
    adjective: int,
    pronoun: str,
) -> int | None:
    """Choose a noun by its gender or, if both have the same, by the sense of the adjective."""
    nouns = [senses.nouns.get(words[at]) for at in candidates]
    if nouns[0] is None or nouns[1] is None:
        return None
    wanted = "m" if pronoun == "il" else "f"
    fits = [noun.gender == wanted for noun in nouns if noun]
    if fits[0] == fits[1]:
        lives = senses.adjectives[words[adjective]].lives
        fits = [noun.lives == lives for noun in nouns if noun]
    return candidates[fits.index(True)] if fits.count(True) == 1 else None


def _senses(task: str) -> Senses | None:
    known = TASKS[task].knowledge.senses if task in TASKS else None
    return known() if known else None
