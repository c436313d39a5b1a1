"""Sentences whose pronoun only the meaning resolves.

"The animal did not cross the street because it was too tired": an animal is tired, a street is
not, so "it" is the animal, "il". Had it been "too wide", it would be the street, "elle".
"""

import random
from functools import cache

from sample_data.english_french.clauses import (
    Tense,
    copula,
    predicate,
    predicate_adjective,
    statement,
)
from sample_data.english_french.lexicon import DEGREES, IL, VERBS, Adjective, Gender, Noun, Verb
from sample_data.english_french.noun_phrases import (
    ANIMATE,
    DEFINITE,
    NounPhrase,
    adjectives_of,
    noun_phrase,
    nouns_of,
    phrase_around,
    random_noun_phrase,
)
from sample_data.english_french.phrase import NOTHING, Phrase, word

_ANIMAL = frozenset({"animal"})
_PERSON = frozenset({"person"})
_ACTIONS = tuple(
    verb for verb in VERBS if verb.base in {"cross", "eat", "drink", "push", "lift", "buy", "open"}
)
_OFTEN_CROSS = tuple(verb for verb in _ACTIONS if verb.base == "cross") * 3
_OF_ANIMATES = tuple(
    adjective for adjective in adjectives_of(ANIMATE) if adjective.kinds <= ANIMATE
)


@cache
def _of_thing(noun: Noun) -> tuple[Adjective, ...]:
    """Return the adjectives that hold of the noun and of nothing alive."""
    return tuple(
        adjective
        for adjective in adjectives_of(noun.kinds)
        if adjective.kinds.isdisjoint(ANIMATE) and adjective.english != "new"  # never a reason
    )


@cache
def _actions_of(kind: str) -> tuple[Verb, ...]:
    return tuple(verb for verb in (*_ACTIONS, *_OFTEN_CROSS) if kind in verb.subjects)


@cache
def _things(kinds: frozenset[str], unlike: Gender | None) -> tuple[Noun, ...]:
    return tuple(n for n in nouns_of(kinds) if n.gender != unlike and _of_thing(n))


def because_it(rng: random.Random) -> Phrase:
    """Return a sentence whose "it" is the subject or the object, as the adjective decides.

    One time in five both have the same gender: "the other gender" must not be the rule.
    """
    by_animal = rng.random() < 0.9
    actor = rng.choice(nouns_of(_ANIMAL if by_animal else _PERSON))
    verb = rng.choice(_actions_of("animal" if by_animal else "person"))
    thing = rng.choice(_things(verb.objects, actor.gender if rng.random() < 0.8 else None))
    of_actor = by_animal and rng.random() < 0.5
    adjective = rng.choice(_OF_ANIMATES if of_actor else _of_thing(thing))
    subject = _mostly_plain(rng, actor)
    found = _mostly_plain(rng, thing)
    return _with_reason(rng, subject, verb, found, it(subject, found, adjective), adjective)


def it(subject: NounPhrase, thing: NounPhrase, adjective: Adjective) -> NounPhrase:
    """Return "it" for the one of the two that the adjective can hold of."""
    gender = subject.gender if adjective.kinds & subject.kinds else thing.gender
    return NounPhrase(word("it", "il" if gender == "m" else "elle"), IL, gender, frozenset())


def _mostly_plain(rng: random.Random, noun: Noun) -> NounPhrase:
    """Return a phrase with few adjectives, so that the one that matters stands out."""
    if rng.random() < 0.25:
        return phrase_around(rng, noun, DEFINITE)
    return noun_phrase(rng.choice(DEFINITE.of(noun, plural=False)), (), noun)


def because_of_self(rng: random.Random) -> Phrase:
    """Return a sentence whose "he" or "she" is the subject."""
    actor = rng.choice(nouns_of(_PERSON))
    verb = rng.choice(_actions_of("person"))
    english, french = ("he", "il") if actor.gender == "m" else ("she", "elle")
    self = NounPhrase(word(english, french), IL, actor.gender, _PERSON)
    subject = _mostly_plain(rng, actor)
    found = random_noun_phrase(rng, verb.objects, DEFINITE)
    return _with_reason(rng, subject, verb, found, self, rng.choice(_OF_ANIMATES))


def _with_reason(
    rng: random.Random,
    subject: NounPhrase,
    verb: Verb,
    thing: NounPhrase,
    pronoun: NounPhrase,
    adjective: Adjective,
) -> Phrase:
    tense: Tense = rng.choices(("past", "present", "perfect"), (65, 25, 10))[0]
    action = predicate(subject, verb, tense, negated=rng.random() < 0.8, complement=thing.phrase)
    chance = rng.random()
    too, very = DEGREES
    degree = word(*too) if chance < 0.6 else word(*very) if chance < 0.8 else NOTHING
    complement = predicate_adjective(pronoun, adjective, degree)
    reason = copula(pronoun, complement, past=tense == "past")
    return statement(subject, action) + word("because", "parce que") + statement(pronoun, reason)
