"""Sentences: what the corpus consists of, and how often."""

import random
from collections.abc import Iterator
from functools import cache

from sample_data.english_french.clauses import (
    Predicate,
    Tense,
    copula,
    object_relative,
    predicate,
    predicate_adjective,
    question,
    statement,
    subject_relative,
)
from sample_data.english_french.lexicon import (
    DEGREES,
    EVERY,
    FREQUENCY_ADVERBS,
    IL,
    PREPOSITIONS,
    TIME_ADVERBS,
    VERBS,
    Verb,
)
from sample_data.english_french.noun_phrases import (
    ANIMATE,
    ANY_PLACE,
    NEGATED_OBJECT,
    NounPhrase,
    adjectives_of,
    noun_phrase,
    nouns_of,
    random_adjectives,
    random_noun_phrase,
    random_subject,
)
from sample_data.english_french.phrase import NOTHING, Phrase, to_pair, word
from sample_data.english_french.reasons import because_it, because_of_self
from sample_data.pairs import Pair

_TRANSITIVE = tuple(verb for verb in VERBS if verb.objects)
_INTRANSITIVE = tuple(verb for verb in VERBS if not verb.objects)
_DESCRIBED = ANIMATE | {"thing", "place", "way", "food", "drink"}
_MOVABLE = frozenset({"person", "animal", "vehicle"})


def sentences(rng: random.Random) -> Iterator[Pair]:
    """Yield random sentences without end."""
    kinds, weights = zip(*_SENTENCES, strict=True)
    while True:
        (make,) = rng.choices(kinds, weights)
        yield to_pair(make(rng))


def _random_tense(rng: random.Random) -> Tense:
    return rng.choices(("present", "past", "perfect"), (55, 34, 11))[0]


@cache
def _verbs_with_object(kinds: frozenset[str]) -> tuple[Verb, ...]:
    return tuple(verb for verb in _TRANSITIVE if verb.objects & kinds)


@cache
def _verbs_of(subject_kinds: frozenset[str]) -> tuple[Verb, ...]:
    return tuple(verb for verb in VERBS if verb.subjects & subject_kinds)


def _random_place(rng: random.Random) -> Phrase:
    preposition = rng.choice(PREPOSITIONS)
    place = random_noun_phrase(rng, preposition.kinds)
    return word(preposition.english, preposition.french) + place.phrase


def _random_adverb(rng: random.Random, tense: Tense) -> tuple[Phrase, Phrase]:
    """Return the adverb that stands at the verb and the one at the end, one or both empty."""
    chance = rng.random()
    if chance < 0.12 and tense == "present":
        return word(*rng.choice(FREQUENCY_ADVERBS)), NOTHING
    if chance > 0.88:
        return NOTHING, word(*rng.choice(TIME_ADVERBS[tense]))
    return NOTHING, NOTHING


def _random_object(rng: random.Random, verb: Verb, *, negated: bool, plain: bool) -> Phrase:
    choices = NEGATED_OBJECT if negated else ANY_PLACE
    found = random_noun_phrase(rng, verb.objects, choices)
    if negated or plain:
        return found.phrase
    chance = rng.random()
    if chance < 0.06:
        return _with_relative(rng, found).phrase
    if chance < 0.12:
        other = random_noun_phrase(rng, verb.objects)
        return found.phrase + word("and", "et") + other.phrase
    return found.phrase


def _random_action(
    rng: random.Random,
    subject: NounPhrase,
    verb: Verb,
    *,
    asked: bool = False,
    plain: bool = False,
) -> Predicate:
    """Return the verb with object, place and adverb; a plain one is short."""
    tense = _random_tense(rng)
    negated = not asked and rng.random() < 0.3
    adverb, last = _random_adverb(rng, tense)
    complement = NOTHING
    if verb.objects:
        complement += _random_object(rng, verb, negated=negated, plain=plain)
    if rng.random() < (0.1 if verb.objects else 0.5):
        complement += _random_place(rng)
    return predicate(
        subject,
        verb,
        tense,
        negated=negated,
        asked=asked,
        adverb=adverb,
        complement=complement + last,
    )


def _random_description(
    rng: random.Random, subject: NounPhrase, *, asked: bool = False
) -> Predicate:
    """Return "is" with an adjective or a place."""
    past = rng.random() < 0.35
    negated = not asked and rng.random() < 0.3
    adverb = NOTHING
    if not past and rng.random() < 0.1:
        adverb = word(*rng.choice(FREQUENCY_ADVERBS))
    chance = rng.random()
    if chance < 0.2 and subject.kinds & _MOVABLE:
        complement = _random_place(rng)
    else:
        degree = word(*rng.choice(DEGREES)) if chance > 0.7 else NOTHING
        adjective = rng.choice(adjectives_of(subject.kinds))
        complement = predicate_adjective(subject, adjective, degree)
    return copula(subject, complement, past=past, negated=negated, adverb=adverb)


def _with_relative(rng: random.Random, head: NounPhrase) -> NounPhrase:
    """Return the head with a clause that says which one is meant."""
    doers = _verbs_of(head.kinds)
    if doers and rng.random() < 0.6:
        verb = rng.choice(doers)
        who = "person" in head.kinds and rng.random() < 0.5
        return subject_relative(head, _random_action(rng, head, verb, plain=True), who=who)
    verb = rng.choice(_verbs_with_object(head.kinds))
    subject = random_subject(rng, verb.subjects)
    negated = rng.random() < 0.2
    return object_relative(head, subject, predicate(subject, verb, "present", negated=negated))


def _clause(rng: random.Random, *, plain: bool = False) -> Phrase:
    """Return a statement that can stand alone or be joined to another."""
    chance = rng.random()
    if chance < 0.25:
        subject = random_subject(rng, _DESCRIBED)
        return statement(subject, _random_description(rng, subject))
    verb = rng.choice(_TRANSITIVE if chance < 0.8 else _INTRANSITIVE)
    subject = random_subject(rng, verb.subjects)
    return statement(subject, _random_action(rng, subject, verb, plain=plain))


def _stopped(rng: random.Random, phrase: Phrase, share: float = 0.8) -> Phrase:
    return phrase + word(".", ".") if rng.random() < share else phrase


def _simple(rng: random.Random) -> Phrase:
    return _stopped(rng, _clause(rng))


def _about_every(rng: random.Random) -> Phrase:
    """Return a statement about "every cat": affirmed and present, which leaves no doubt."""
    verb = rng.choice(_TRANSITIVE)
    noun = rng.choice(nouns_of(verb.subjects))
    subject = noun_phrase(EVERY, random_adjectives(rng, noun.kinds), noun)
    complement = random_noun_phrase(rng, verb.objects).phrase
    said = predicate(subject, verb, "present", complement=complement)
    return _stopped(rng, statement(subject, said))


def _about_one_of_them(rng: random.Random) -> Phrase:
    """Return a statement about "the cat that eats the apple"."""
    if rng.random() < 0.65:
        subject = _with_relative(rng, random_noun_phrase(rng, _DESCRIBED))
        return _stopped(rng, statement(subject, _random_description(rng, subject)))
    subject = _with_relative(rng, random_noun_phrase(rng, ANIMATE))
    verb = rng.choice(_verbs_of(subject.kinds))
    return _stopped(rng, statement(subject, _random_action(rng, subject, verb, plain=True)))


def _yes_or_no(rng: random.Random) -> Phrase:
    if rng.random() < 0.3:
        subject = random_subject(rng, _DESCRIBED)
        return question(subject, _random_description(rng, subject, asked=True))
    verb = rng.choice(_TRANSITIVE if rng.random() < 0.7 else _INTRANSITIVE)
    subject = random_subject(rng, verb.subjects)
    return question(subject, _random_action(rng, subject, verb, asked=True))


def _where(rng: random.Random) -> Phrase:
    subject = random_noun_phrase(rng, _DESCRIBED)
    said = copula(subject, NOTHING, past=rng.random() < 0.3)
    return word("where", "où") + said.phrase + subject.phrase + word("?", "?")


def _who(rng: random.Random) -> Phrase:
    somebody = NounPhrase(word("who", "qui"), IL, "m", frozenset({"person"}))
    verb = rng.choice(VERBS)
    said = _random_action(rng, somebody, verb, plain=True)
    return statement(somebody, said) + word("?", "?")


def _noun_phrase_alone(rng: random.Random) -> Phrase:
    found = random_noun_phrase(rng, _DESCRIBED)
    if rng.random() < 0.25:
        found = _with_relative(rng, found)
    phrase = found.phrase
    if rng.random() < 0.2:
        phrase += word("and", "et") + random_noun_phrase(rng, _DESCRIBED).phrase
    return _stopped(rng, phrase, 0.25)


def _joined(rng: random.Random) -> Phrase:
    link = word(*rng.choice((("and", "et"), ("but", "mais"))))
    return _stopped(rng, _clause(rng, plain=True) + link + _clause(rng, plain=True))


def _because_of_another(rng: random.Random) -> Phrase:
    because = word("because", "parce que")
    return _stopped(rng, _clause(rng, plain=True) + because + _clause(rng, plain=True))


def _because_it(rng: random.Random) -> Phrase:
    return _stopped(rng, because_it(rng), 0.85)


def _because_of_self(rng: random.Random) -> Phrase:
    return _stopped(rng, because_of_self(rng))


_SENTENCES = (
    (_simple, 34),
    (_about_every, 2),
    (_about_one_of_them, 13),
    (_yes_or_no, 11),
    (_where, 1),
    (_who, 2),
    (_noun_phrase_alone, 8),
    (_joined, 10),
    (_because_it, 13),
    (_because_of_self, 3),
    (_because_of_another, 3),
)
"""What makes a sentence, and how many of a hundred."""
