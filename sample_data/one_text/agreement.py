"""Sentences whose verb agrees with its subject across another noun, so that it can be predicted.

"The keys near the cat are old." A masked verb has the number of the subject, as has "himself",
"herself", "itself" or "themselves".
"""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sample_data.one_text.text import Known, Text

MASK = "<mask>"
HE = (("boy", "boys"), ("king", "kings"), ("man", "men"), ("father", "fathers"))
SHE = (("girl", "girls"), ("queen", "queens"), ("woman", "women"), ("mother", "mothers"))
IT = (("cat", "cats"), ("dog", "dogs"), ("bird", "birds"), ("horse", "horses"))
NOUNS = (*HE, *SHE, *IT)
SEES = (("sees", "see"), ("likes", "like"), ("finds", "find"), ("follows", "follow"))
SLEEPS = (("sleeps", "sleep"), ("waits", "wait"), ("falls", "fall"))
BE = (("is", "are"), ("was", "were"))
ADJECTIVES = ("old", "small", "happy", "tired")
PLACES = ("near", "behind", "with", "before")
REFLEXIVES = ("himself", "herself", "itself", "themselves")
PLAIN, ATTRACTOR, REFLEXIVE = "no noun between", "another number between", "reflexive"
SAME = "the same number between"

_FORMS = (*NOUNS, *SEES, *SLEEPS, *BE)
_OTHER = ("the", "that", "today", ".", *ADJECTIVES, *PLACES, *REFLEXIVES)
WORDS = (MASK, *_OTHER, *(form for forms in _FORMS for form in forms))
VERBS = tuple(frozenset(forms[i] for forms in (*SEES, *SLEEPS, *BE)) for i in (0, 1))
"""The singular verbs, and the plural ones."""


class _Noun(NamedTuple):
    words: list[str]
    forms: tuple[str, str]
    number: int
    """0 for singular, 1 for plural."""


def random_texts(rng: random.Random) -> Iterator[Text]:
    """Yield sentences without end."""
    while True:
        yield _sentence(rng)


def _sentence(rng: random.Random) -> Text:
    subject, words, between = _noun(rng), [], None
    words += subject.words
    at = len(words) - 1
    kind = rng.random()
    if kind < 0.65:
        between = _noun(rng)
        if kind < 0.45:
            words += [rng.choice(PLACES), *between.words]
        else:
            words += ["that", *between.words, rng.choice(SEES)[between.number]]
    verb = len(words)
    known = [Known(verb, (at,), _kind(subject.number, between and between.number))]
    predicate, is_reflexive = _predicate(rng, subject)
    words += predicate
    if is_reflexive:
        known.append(Known(len(words) - 1, (at,), REFLEXIVE))
    if rng.random() < 0.3:
        words.append("today")
    return Text(" ".join([*words, "."]), tuple(known))


def _noun(rng: random.Random) -> _Noun:
    forms, number = rng.choice(NOUNS), rng.randrange(2)
    before = ["the", rng.choice(ADJECTIVES)] if rng.random() < 0.3 else ["the"]
    return _Noun([*before, forms[number]], forms, number)


def _predicate(rng: random.Random, subject: _Noun) -> tuple[list[str], bool]:
    kind, number = rng.random(), subject.number
    if kind < 0.25:
        return [rng.choice(SLEEPS)[number]], False
    if kind < 0.5:
        return [rng.choice(BE)[number], rng.choice(ADJECTIVES)], False
    verb = rng.choice(SEES)[number]
    if kind < 0.7:
        return [verb, *_noun(rng).words], False
    return [verb, _reflexive(subject.forms[number])], True


def _reflexive(subject: str) -> str:
    for forms, reflexive in ((HE, "himself"), (SHE, "herself"), (IT, "itself")):
        if subject in [one for one, _ in forms]:
            return reflexive
    return "themselves"


def _kind(subject: int, between: int | None) -> str:
    if between is None:
        return PLAIN
    return SAME if between == subject else ATTRACTOR


def read(text: str) -> Text | None:
    """Find the subject of a sentence of this grammar, whose verb may be masked; None of others."""
    words = text.lower().removesuffix(".").split()
    if not words or not {*words} <= {*WORDS}:
        return None
    found = _read_noun(words, 0)
    if found is None:
        return None
    subject, next_word, between = found - 1, found, None
    if words[next_word : next_word + 1] and words[next_word] in (*PLACES, "that"):
        is_clause = words[next_word] == "that"
        found = _read_noun(words, next_word + 1)
        if found is None:
            return None
        between, next_word = _number(words[found - 1]), found + is_clause
    known: list[Known] = []
    for place, word in enumerate(words[next_word:], next_word):
        if place == next_word and word in (MASK, *VERBS[0], *VERBS[1]):
            kind = _kind(_number(words[subject]), between)
            known.append(Known(place, (subject,), kind))
        elif place == next_word + 1 and word in (MASK, *REFLEXIVES):
            known.append(Known(place, (subject,), REFLEXIVE))
    return Text(" ".join([*words, "."]), tuple(known)) if known else None


def _read_noun(words: Sequence[str], start: int) -> int | None:
    """Return the position after "the", an optional adjective, and a noun."""
    if words[start : start + 1] != ["the"]:
        return None
    end = start + 2 + (words[start + 1 : start + 2] != [] and words[start + 1] in ADJECTIVES)
    is_noun = len(words) >= end and any(words[end - 1] in forms for forms in NOUNS)
    return end if is_noun else None


def _number(noun: str) -> int:
    return int(any(noun == many for _, many in NOUNS))
