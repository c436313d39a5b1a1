"""Noun phrases: determiner, adjectives and noun, agreeing in gender and number."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sample_data.english_french.lexicon import (
    ADJECTIVES,
    BEFORE_VOWEL,
    HER,
    HIS,
    IL,
    ILS,
    MY,
    NOT_A,
    NOT_ANY,
    NOUNS,
    OUR,
    PRONOUNS,
    SOME,
    THE,
    THEIR,
    THESE,
    THIS,
    THREE,
    TWO,
    YOUR,
    A,
    Adjective,
    Determiner,
    Gender,
    Noun,
)
from sample_data.english_french.phrase import English, French, Phrase, starts_with_vowel, word

ANIMATE = frozenset({"person", "animal"})

_POSSESSIVES = (MY, YOUR, HIS, HER, OUR, THEIR)


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The determiners a place in the sentence takes; one that stands twice comes twice as often."""

    singular: tuple[Determiner, ...]
    plural: tuple[Determiner, ...]
    mass: tuple[Determiner, ...]

    def of(self, noun: Noun, plural: bool) -> tuple[Determiner, ...]:
        """Return those that go with the noun in that number."""
        return self.mass if noun.is_mass else self.plural if plural else self.singular


ANY_PLACE = Choices(
    singular=(THE,) * 10 + (A,) * 4 + (THIS,) * 2 + _POSSESSIVES,
    plural=(THE,) * 10 + (SOME,) * 3 + (THESE,) * 2 + (TWO, THREE) + _POSSESSIVES,
    mass=(THE,) * 5 + (SOME,) * 5 + (THIS,) + _POSSESSIVES,
)
NEGATED_OBJECT = Choices(
    singular=(THE,) * 10 + (NOT_A,) * 3 + (THIS,) * 2 + _POSSESSIVES,
    plural=(THE,) * 10 + (NOT_ANY,) * 3 + (THESE,) * 2 + _POSSESSIVES,
    mass=(THE,) * 5 + (NOT_ANY,) * 5 + (THIS,) + _POSSESSIVES,
)
DEFINITE = Choices(
    singular=(THE,) * 20 + (THIS,) * 2 + _POSSESSIVES,
    plural=(THE,) * 20 + (THESE,) * 2 + _POSSESSIVES,
    mass=(THE,) * 20 + (THIS,) * 2 + _POSSESSIVES,
)


@dataclass(frozen=True, eq=False, slots=True)
class NounPhrase:
    """A phrase that can be a subject: what its verb and its adjectives agree with."""

    phrase: Phrase
    person: int
    gender: Gender
    kinds: frozenset[str]

    @property
    def plural(self) -> bool:
        """Whether it counts more than one."""
        return self.person > IL

    def followed_by(self, phrase: Phrase) -> "NounPhrase":
        """Return it with a phrase behind it that changes no agreement."""
        return NounPhrase(self.phrase + phrase, self.person, self.gender, self.kinds)


@cache
def nouns_of(kinds: frozenset[str]) -> tuple[Noun, ...]:
    """Return the nouns that share a kind."""
    return tuple(noun for noun in NOUNS if noun.kinds & kinds)


@cache
def adjectives_of(kinds: frozenset[str]) -> tuple[Adjective, ...]:
    """Return the adjectives that share a kind."""
    return tuple(adjective for adjective in ADJECTIVES if adjective.kinds & kinds)


@cache
def _placed(kinds: frozenset[str], before: bool) -> tuple[Adjective, ...]:
    return tuple(adjective for adjective in adjectives_of(kinds) if adjective.before == before)


def pronoun(english: str) -> NounPhrase:
    """Return a subject pronoun."""
    text, french, person, gender = next(row for row in PRONOUNS if row[0] == english)
    return NounPhrase(word(text, french), person, gender, frozenset({"person"}))


def noun_phrase(
    determiner: Determiner, adjectives: Sequence[Adjective], noun: Noun, plural: bool = False
) -> NounPhrase:
    """Return determiner, adjectives (in their English order) and noun in both languages."""
    article = English(determiner.english)
    described = [(English(adjective.english), adjective) for adjective in adjectives]
    name = English((plural and noun.english_plural) or noun.english)
    before = [
        French(adjective.agree(noun.gender, plural), (source,))
        for source, adjective in described
        if adjective.before
    ]
    after = [
        French(adjective.agree(noun.gender, plural), (source,))
        for source, adjective in described
        if not adjective.before
    ]
    french_name = French((plural and noun.french_plural) or noun.french, (name,))
    articles = [
        French(text, (article,)) for text in _article(determiner, noun, plural, bool(before))
    ]
    target = [*articles, *before, french_name]
    if not plural:
        target = _before_vowels(target)
    source = (article, *(adjective for adjective, _ in described), name)
    person = ILS if plural else IL
    return NounPhrase(Phrase(source, (*target, *after)), person, noun.gender, noun.kinds)


def _article(
    determiner: Determiner, noun: Noun, plural: bool, adjective_first: bool
) -> tuple[str, ...]:
    if determiner is SOME and plural and adjective_first:
        return ("de",)  # "des chats", but "de petits chats"
    text = determiner.agree(noun.gender, plural)
    return tuple(text.split())


def _before_vowels(words: list[French]) -> list[French]:
    """Put in the singular forms that a vowel calls for: "cet arbre", "mon école", "bel animal"."""
    following = [*words[1:], None]
    return [
        French(BEFORE_VOWEL[this.text], this.of)
        if after is not None and this.text in BEFORE_VOWEL and starts_with_vowel(after.text)
        else this
        for this, after in zip(words, following, strict=True)
    ]


def random_adjectives(rng: random.Random, kinds: frozenset[str]) -> tuple[Adjective, ...]:
    """Return none, one or two adjectives: at most one on each side of the French noun."""
    chance = rng.random()
    if chance < 0.5:
        return ()
    before, after = _placed(kinds, True), _placed(kinds, False)
    if chance > 0.92 and before and after:
        return (rng.choice(before), rng.choice(after))
    either = before if (chance < 0.71 and before) or not after else after
    return (rng.choice(either),) if either else ()


def random_noun_phrase(
    rng: random.Random, kinds: frozenset[str], choices: Choices = ANY_PLACE
) -> NounPhrase:
    """Return a phrase around a noun of one of the kinds."""
    return phrase_around(rng, rng.choice(nouns_of(kinds)), choices, plural=rng.random() < 0.25)


def phrase_around(
    rng: random.Random, noun: Noun, choices: Choices = ANY_PLACE, *, plural: bool = False
) -> NounPhrase:
    """Return a phrase around the noun."""
    plural = plural and not noun.is_mass
    determiner = rng.choice(choices.of(noun, plural))
    return noun_phrase(determiner, random_adjectives(rng, noun.kinds), noun, plural)


def random_subject(
    rng: random.Random, kinds: frozenset[str], choices: Choices = ANY_PLACE
) -> NounPhrase:
    """Return a noun phrase or, where a person will do, sometimes a pronoun."""
    if "person" in kinds and rng.random() < 0.28:
        return pronoun(rng.choice(PRONOUNS)[0])
    return random_noun_phrase(rng, kinds, choices)
