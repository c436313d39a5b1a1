"""The grammar read backwards: the translation of a sentence that someone typed.

What the grammar can say is recognised word by word and built with the same functions that generate
the corpus, so the translation and its alignment are theirs. Which words make sense together is not
asked ("the table eats the cat" has a translation too), but for "it", which only sense resolves.
"""

from collections.abc import Iterator
from itertools import chain, product
from typing import get_args

from sample_data.english_french.clauses import (
    Tense,
    copula,
    predicate,
    predicate_adjective,
    question,
    statement,
)
from sample_data.english_french.lexicon import EVERY, IL, Adjective
from sample_data.english_french.noun_phrases import (
    ANIMATE,
    ANY_PLACE,
    DEFINITE,
    Choices,
    NounPhrase,
)
from sample_data.english_french.phrase import NOTHING, Phrase, to_pair, word
from sample_data.english_french.reading_clauses import ClauseReader
from sample_data.english_french.reasons import it
from sample_data.pairs import Pair

_EVERY = Choices(singular=(EVERY,), plural=(), mass=())
_LINKS = (("and", "et"), ("but", "mais"), ("because", "parce que"))


def read(source: str) -> Pair | None:
    """Translate a sentence, its words separated by single spaces.

    None where the grammar cannot have written it, or where it has more than one translation.
    """
    pairs = {to_pair(phrase) for phrase in _SentenceReader(source.split()).sentences()}
    found = [pair for pair in pairs if pair.source == source]  # "a" or "an" is settled there
    return found[0] if len(found) == 1 else None


class _SentenceReader(ClauseReader):
    """Finds every way to read all the words as one sentence of the grammar."""

    def sentences(self) -> Iterator[Phrase]:
        """Read a statement or noun phrases, with or without a full stop, or a question."""
        for phrase, end in chain(self._statements(), self._alone()):
            if self.at_end(end):
                yield phrase
            elif self.word_is(end, ".") and self.at_end(end + 1):
                yield phrase + word(".", ".")
        for phrase, end in self._questions():
            if self.at_end(end):
                yield phrase

    def _statements(self) -> Iterator[tuple[Phrase, int]]:
        yield from self._clauses(0)
        yield from self._about_every()
        yield from self._about_one_of_them()
        yield from self._because_it()
        for first, end in self._clauses(0, plain=True):
            for link in _LINKS:
                if self.word_is(end, link[0]):
                    for second, last in self._clauses(end + 1, plain=True):
                        yield first + word(*link) + second, last

    def _alone(self) -> Iterator[tuple[Phrase, int]]:
        """Read noun phrases that are not part of a clause."""
        for plain, middle in self.noun_phrases(0):
            for head, end in chain([(plain, middle)], self.relatives(middle, plain)):
                yield head.phrase, end
                if self.word_is(end, "and"):
                    for other, last in self.noun_phrases(end + 1):
                        yield head.phrase + word("and", "et") + other.phrase, last

    def _questions(self) -> Iterator[tuple[Phrase, int]]:
        for subject, start in self.subjects(1):
            for said, end in self.sayings(start, subject, plain=False, asked=True):
                if self.word_is(end, "?") and self.word_is(0, said.auxiliary[0].text):
                    yield question(subject, said), end + 1
        somebody = NounPhrase(word("who", "qui"), IL, "m", frozenset({"person"}))
        if self.word_is(0, "who"):
            for said, end in self.actions(1, somebody, plain=True):
                if self.word_is(end, "?"):
                    yield statement(somebody, said) + word("?", "?"), end + 1
        if self.word_is(0, "where"):
            yield from self._where()

    def _where(self) -> Iterator[tuple[Phrase, int]]:
        for subject, end in self.noun_phrases(2):
            for past in (False, True):
                said = copula(subject, NOTHING, past=past).phrase
                if self.words_are(1, said.source) and self.word_is(end, "?"):
                    yield word("where", "où") + said + subject.phrase + word("?", "?"), end + 1

    def _clauses(self, start: int, *, plain: bool = False) -> Iterator[tuple[Phrase, int]]:
        for subject, middle in self.subjects(start):
            for said, end in self.sayings(middle, subject, plain=plain):
                yield statement(subject, said), end

    def _about_every(self) -> Iterator[tuple[Phrase, int]]:
        for subject, middle in self.noun_phrases(0, _EVERY):
            for verb in self.verbs_near(middle):
                said = predicate(subject, verb, "present").phrase
                if verb.objects and self.words_are(middle, said.source):
                    for thing, end in self.noun_phrases(middle + 1):
                        yield subject.phrase + said + thing.phrase, end

    def _about_one_of_them(self) -> Iterator[tuple[Phrase, int]]:
        for head, behind in self.noun_phrases(0):
            for subject, middle in self.relatives(behind, head):
                for said, end in self.sayings(middle, subject, plain=True):
                    yield statement(subject, said), end

    def _because_it(self) -> Iterator[tuple[Phrase, int]]:
        for subject, middle in self.noun_phrases(0):
            for verb, tense, negated in product(
                self.verbs_near(middle), get_args(Tense), (False, True)
            ):
                action = predicate(subject, verb, tense, negated=negated).phrase
                if not verb.objects or not self.words_are(middle, action.source):
                    continue
                choices = (DEFINITE,) if negated else (ANY_PLACE,)
                for thing, end in self.noun_phrases(middle + len(action.source), *choices):
                    if self.word_is(end, "because") and self.word_is(end + 1, "it"):
                        because = thing.phrase + word("because", "parce que")
                        for reason, last in self._reasons(end + 1, subject, thing):
                            yield subject.phrase + action + because + reason, last

    def _reasons(
        self, start: int, subject: NounPhrase, thing: NounPhrase
    ) -> Iterator[tuple[Phrase, int]]:
        """Read "it was too tired", where the adjective can hold of one of the two alone."""
        for degree, place in self.degrees(start + 2):
            adjective = self.adjective_at(place)
            if adjective is None or not _resolves(subject, thing, adjective):
                continue
            pronoun = it(subject, thing, adjective)
            for past in (False, True):
                complement = predicate_adjective(pronoun, adjective, degree)
                reason = statement(pronoun, copula(pronoun, complement, past=past))
                if self.words_are(start, reason.source):
                    yield reason, place + 1


def _resolves(subject: NounPhrase, thing: NounPhrase, adjective: Adjective) -> bool:
    """Return whether "it" is one of the two for certain, as in the sentences of the corpus."""
    if subject.plural or thing.plural or not subject.kinds & ANIMATE or thing.kinds & ANIMATE:
        return False
    if adjective.kinds <= ANIMATE:
        return "animal" in subject.kinds
    return adjective.kinds.isdisjoint(ANIMATE) and bool(adjective.kinds & thing.kinds)
