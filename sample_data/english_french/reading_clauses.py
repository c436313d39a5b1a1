"""Phrases and clauses of the English side, recognised in a row of words."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import get_args

from sample_data.english_french.clauses import (
    Predicate,
    Tense,
    copula,
    object_relative,
    predicate,
    predicate_adjective,
    subject_relative,
)
from sample_data.english_french.lexicon import (
    ADJECTIVES,
    DEGREES,
    FREQUENCY_ADVERBS,
    NOUNS,
    PREPOSITIONS,
    PRONOUNS,
    TIME_ADVERBS,
    VERBS,
    Adjective,
    Verb,
)
from sample_data.english_french.noun_phrases import (
    ANY_PLACE,
    DEFINITE,
    NEGATED_OBJECT,
    Choices,
    NounPhrase,
    noun_phrase,
    pronoun,
)
from sample_data.english_french.phrase import NOTHING, English, Phrase, word

_NOUNS = {noun.english: (noun, False) for noun in NOUNS} | {
    noun.english_plural: (noun, True) for noun in NOUNS if noun.english_plural
}
_ADJECTIVES = {adjective.english: adjective for adjective in ADJECTIVES}
_ADJECTIVE_ORDERS = ([], [True], [False], [True, False])
"""Whether French puts each adjective before its noun: at most one stands on each side."""
_VERBS = {
    form: verb for verb in VERBS for form in (verb.base, verb.third, verb.past, verb.participle)
}
_PRONOUNS = frozenset(row[0] for row in PRONOUNS)
_LONGEST_VERB = 4
"""Words from a verb's auxiliary to the verb itself: "does not often eat"."""


class ClauseReader:
    """Finds every way to read words from a place on: what is there, and the place after it."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def subjects(self, start: int) -> Iterator[tuple[NounPhrase, int]]:
        """Read a pronoun or a noun phrase."""
        if start < len(self.words) and self.words[start] in _PRONOUNS:
            yield pronoun(self.words[start]), start + 1
        yield from self.noun_phrases(start)

    def noun_phrases(self, start: int, *allowed: Choices) -> Iterator[tuple[NounPhrase, int]]:
        """Read determiner, adjectives and noun; `allowed` says which determiners there are."""
        adjectives: list[Adjective] = []
        while adjective := self.adjective_at(start + 1 + len(adjectives)):
            adjectives.append(adjective)
        end = start + 1 + len(adjectives)
        order = [adjective.before for adjective in adjectives]
        if end >= len(self.words) or self.words[end] not in _NOUNS:
            return
        if order not in _ADJECTIVE_ORDERS:
            return
        noun, plural = _NOUNS[self.words[end]]
        article = "a" if self.words[start] == "an" else self.words[start]
        choices = {d for choice in allowed or (ANY_PLACE,) for d in choice.of(noun, plural)}
        for determiner in choices:
            if determiner.english == article:
                yield noun_phrase(determiner, adjectives, noun, plural), end + 1

    def _places(self, start: int) -> Iterator[tuple[Phrase, int]]:
        for preposition in PREPOSITIONS:
            if self.word_is(start, preposition.english):
                for place, end in self.noun_phrases(start + 1):
                    yield word(preposition.english, preposition.french) + place.phrase, end

    def relatives(self, start: int, head: NounPhrase) -> Iterator[tuple[NounPhrase, int]]:
        """Read "that eats the apple" or "that the cat eats" behind a head."""
        who = self.word_is(start, "who")
        if who or self.word_is(start, "that"):
            for said, end in self.actions(start + 1, head, plain=True):
                yield subject_relative(head, said, who=who), end
        if not self.word_is(start, "that"):
            return
        for subject, middle in self.subjects(start + 1):
            for verb, negated in product(self.verbs_near(middle), (False, True)):
                said = predicate(subject, verb, "present", negated=negated)
                if verb.objects and self.words_are(middle, said.phrase.source):
                    end = middle + len(said.phrase.source)
                    yield object_relative(head, subject, said), end

    def sayings(
        self, start: int, subject: NounPhrase, *, plain: bool, asked: bool = False
    ) -> Iterator[tuple[Predicate, int]]:
        """Read what is said of a subject: an action or a description."""
        yield from self.actions(start, subject, plain=plain, asked=asked)
        yield from self._descriptions(start, subject, asked=asked)

    def actions(
        self, start: int, subject: NounPhrase, *, plain: bool, asked: bool = False
    ) -> Iterator[tuple[Predicate, int]]:
        """Read a verb and all that follows it; of a question, what stands behind the subject."""
        for verb, tense, negated, often in product(
            self.verbs_near(start),
            get_args(Tense),
            (False,) if asked else (False, True),
            (None, *FREQUENCY_ADVERBS),
        ):
            if often and tense != "present":
                continue
            adverb = word(*often) if often else NOTHING
            said = predicate(subject, verb, tense, negated=negated, asked=asked, adverb=adverb)
            behind = said.rest if asked else said.phrase.source
            if self.words_are(start, behind):
                times = () if often else TIME_ADVERBS[tense]
                for complement, end in self._complements(
                    start + len(behind), verb, times, negated=negated, plain=plain
                ):
                    yield _followed_by(said, complement), end

    def _complements(
        self,
        start: int,
        verb: Verb,
        times: Sequence[tuple[str, str]],
        *,
        negated: bool,
        plain: bool,
    ) -> Iterator[tuple[Phrase, int]]:
        """Read an object if the verb takes one, then perhaps a place, then perhaps a time."""
        objects = self._objects(start, negated=negated, plain=plain)
        for thing, place in objects if verb.objects else [(NOTHING, start)]:
            for where, end in chain([(NOTHING, place)], self._places(place)):
                yield thing + where, end
                for time in times:
                    if self.word_is(end, time[0]):
                        yield thing + where + word(*time), end + 1

    def _objects(self, start: int, *, negated: bool, plain: bool) -> Iterator[tuple[Phrase, int]]:
        choices = (NEGATED_OBJECT, DEFINITE) if negated else (ANY_PLACE,)
        for found, end in self.noun_phrases(start, *choices):
            yield found.phrase, end
            if negated or plain:
                continue
            for described, last in self.relatives(end, found):
                yield described.phrase, last
            if self.word_is(end, "and"):
                for other, last in self.noun_phrases(end + 1):
                    yield found.phrase + word("and", "et") + other.phrase, last

    def _descriptions(
        self, start: int, subject: NounPhrase, *, asked: bool
    ) -> Iterator[tuple[Predicate, int]]:
        """Read "is" with an adjective or a place; of a question, what stands behind the subject."""
        for past, negated, often in product(
            (False, True), (False,) if asked else (False, True), (None, *FREQUENCY_ADVERBS)
        ):
            if often and past:
                continue
            adverb = word(*often) if often else NOTHING
            said = copula(subject, NOTHING, past=past, negated=negated, adverb=adverb)
            behind = said.rest if asked else said.phrase.source
            if not self.words_are(start, behind):
                continue
            place = start + len(behind)
            for where, end in self._places(place):
                yield _followed_by(said, where), end
            for degree, end in self.degrees(place):
                if adjective := self.adjective_at(end):
                    complement = predicate_adjective(subject, adjective, degree)
                    yield _followed_by(said, complement), end + 1

    def degrees(self, start: int) -> Iterator[tuple[Phrase, int]]:
        """Read "too", "very" or nothing."""
        yield NOTHING, start
        for degree in DEGREES:
            if self.word_is(start, degree[0]):
                yield word(*degree), start + 1

    def verbs_near(self, start: int) -> list[Verb]:
        """Look for verbs where their auxiliaries may begin."""
        near = self.words[start : start + _LONGEST_VERB]
        return [_VERBS[text] for text in near if text in _VERBS]

    def adjective_at(self, place: int) -> Adjective | None:
        """Look for an adjective."""
        return _ADJECTIVES.get(self.words[place]) if place < len(self.words) else None

    def word_is(self, place: int, text: str) -> bool:
        """Return whether this word stands there."""
        return self.words[place : place + 1] == [text]

    def words_are(self, start: int, expected: Sequence[English]) -> bool:
        """Return whether these words stand from there on."""
        return self.words[start : start + len(expected)] == [each.text for each in expected]

    def at_end(self, place: int) -> bool:
        """Return whether no word is left."""
        return place == len(self.words)


def _followed_by(said: Predicate, complement: Phrase) -> Predicate:
    """Put a complement behind a predicate: it stands last in both languages."""
    return replace(said, rest=said.rest + complement.source, target=said.target + complement.target)
