"""Clauses: verbs with their tense, negation and adverbs, questions and relative clauses."""

from dataclasses import dataclass
from typing import Literal

from sample_data.english_french.lexicon import (
    AVOIR_PRESENT,
    BE_PAST,
    BE_PRESENT,
    ETRE_PAST,
    ETRE_PRESENT,
    IL,
    Adjective,
    Verb,
)
from sample_data.english_french.noun_phrases import NounPhrase
from sample_data.english_french.phrase import NOTHING, English, French, Phrase, word

Tense = Literal["present", "past", "perfect"]


@dataclass(frozen=True, eq=False, slots=True)
class Predicate:
    """A verb and all that follows it, agreeing with a subject but not yet joined to it."""

    auxiliary: tuple[English, ...]
    """What an English question puts before the subject; empty in "the cat eats"."""
    rest: tuple[English, ...]
    target: tuple[French, ...]

    @property
    def phrase(self) -> Phrase:
        """The predicate as it follows its subject."""
        return Phrase(self.auxiliary + self.rest, self.target)


def predicate(
    subject: NounPhrase,
    verb: Verb,
    tense: Tense,
    *,
    negated: bool = False,
    asked: bool = False,
    adverb: Phrase = NOTHING,
    complement: Phrase = NOTHING,
) -> Predicate:
    """Return the verb in agreement with the subject.

    Args:
        subject: What the verb agrees with.
        verb: The verb.
        tense: "past" is "saw" or "did not see", "perfect" is "has seen"; both are passé composé.
        negated: Whether "not" and "ne … pas" stand around it.
        asked: Whether English needs an auxiliary to put before the subject.
        adverb: Before the verb in English, behind the finite verb in French.
        complement: What follows in both languages.
    """
    third = subject.person == IL
    if tense == "perfect":
        auxiliary, form = ("has" if third else "have"), verb.participle
    elif negated or asked:
        did = "did" if tense == "past" else "does" if third else "do"
        auxiliary, form = did, verb.base
    elif tense == "past":
        auxiliary, form = None, verb.past
    else:
        auxiliary, form = None, verb.third if third else verb.base

    before = (English(auxiliary),) if auxiliary else ()
    main = English(form)
    if tense == "present":
        finite, participle = French(verb.present_french[subject.person], (main,)), ()
    else:
        helper = (ETRE_PRESENT if verb.with_etre else AVOIR_PRESENT)[subject.person]
        finite = French(helper, before or (main,))
        participle = (French(_participle(verb, subject), (main,)),)
    sign, around = _negate(finite, negated)
    return Predicate(
        before,
        (*sign, *adverb.source, main, *complement.source),
        (*around, *adverb.target, *participle, *complement.target),
    )


def _participle(verb: Verb, subject: NounPhrase) -> str:
    if not verb.with_etre:
        return verb.participle_french
    return verb.participle_french + "e" * (subject.gender == "f") + "s" * subject.plural


def _negate(finite: French, negated: bool) -> tuple[tuple[English, ...], tuple[French, ...]]:
    if not negated:
        return (), (finite,)
    sign = English("not")
    return (sign,), (French("ne", (sign,)), finite, French("pas", (sign,)))


def copula(
    subject: NounPhrase,
    complement: Phrase,
    *,
    past: bool = False,
    negated: bool = False,
    adverb: Phrase = NOTHING,
) -> Predicate:
    """Return "is" or "was", in agreement with the subject, and what it says of it."""
    be = English((BE_PAST if past else BE_PRESENT)[subject.person])
    finite = French((ETRE_PAST if past else ETRE_PRESENT)[subject.person], (be,))
    sign, around = _negate(finite, negated)
    following = adverb + complement
    return Predicate((be,), (*sign, *following.source), (*around, *following.target))


def predicate_adjective(
    subject: NounPhrase, adjective: Adjective, degree: Phrase = NOTHING
) -> Phrase:
    """Return the adjective as it stands behind "is"."""
    return degree + word(adjective.english, adjective.agree(subject.gender, subject.plural))


def statement(subject: NounPhrase, said: Predicate) -> Phrase:
    """Return subject and predicate."""
    return subject.phrase + said.phrase


def question(subject: NounPhrase, said: Predicate) -> Phrase:
    """Return the question with "est-ce que"; the predicate must have an auxiliary."""
    (auxiliary,) = said.auxiliary
    opening = Phrase((auxiliary,), tuple(French(t, (auxiliary,)) for t in ("est-ce", "que")))
    return opening + subject.phrase + Phrase(said.rest, said.target) + word("?", "?")


def subject_relative(head: NounPhrase, said: Predicate, *, who: bool = False) -> NounPhrase:
    """Return "the cat that eats", the head being the subject of what follows."""
    return head.followed_by(word("who" if who else "that", "qui") + said.phrase)


def object_relative(head: NounPhrase, subject: NounPhrase, said: Predicate) -> NounPhrase:
    """Return "the apple that the cat eats", the head being the object of what follows."""
    return head.followed_by(word("that", "que") + statement(subject, said))
