"""Known words for the place of an unknown one, by what stands around it and what it means."""

import difflib
import math
from collections.abc import Collection, Mapping, Sequence
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np

from model.text.encoding import Encoding
from sample_data.everyday.classes import CONTENT
from sample_data.everyday.senses import Sense
from viz.run.vocabulary_neighbours import EDGE, Lexis, tag_of

MOST_OFFERED = 4
MOST_ANSWERED = 8
"""Unknown words of one text for which known ones are looked for."""
_UNKNOWN = "<unk>"
_LONGEST = 40
"""Characters of an unknown word for which anything is offered: comparing takes time."""
_REACH = 4
"""Words between a word and what it goes with."""
_SPELLED_ALIKE = 0.7
_SLIP = 12.0
_SAME_WORD = 6.0
_SHORTEST_STEM = 3
_ONE_SLIP = 2.0
_OFTEN = 0.15
_LEAST = 1e-4
_ENDINGS: Mapping[str, Mapping[str, float]] = {
    "ly": {"adverb manner": 60.0, "adverb": 20.0},
    "ing": {"verb ing": 20.0, "noun il": 1.0, "adjective adjective": 1.0},
    "ed": {"verb past": 20.0, "verb participle": 20.0, "adjective adjective": 3.0},
    "ness": {"noun il": 20.0},
    "ful": {"adjective adjective": 20.0},
    "ous": {"adjective adjective": 20.0},
    "less": {"adjective adjective": 20.0},
    "able": {"adjective adjective": 20.0},
    "est": {"adjective superlative": 20.0, "noun il": 1.0},
    "ss": {},
    "us": {},
    "s": {"noun ils": 10.0, "verb third": 10.0},
    "": {"noun ils": 0.1, "verb third": 0.02, "verb ing": 0.02, "adjective superlative": 0.02},
}
"""How much more likely a word that ends so is of a tag or a part of speech; the first ending that
fits decides."""
_ODD = 0.1
"""The same for all that an ending does not name, where it names any."""
_MEANT = 0.1
"""The least share of a sense of a word among all of them that is offered anything for."""


class Place(NamedTuple):
    """Where an unknown word stands."""

    word: str
    before: Sequence[str]
    """The words before it in its sentence, the nearest last."""
    after: Sequence[str]


def unknown_places(source: Encoding, typed: str, read: Sequence[str]) -> dict[int, Place]:
    """Find where the unknown words of a text stand, by where each begins; `read` names its ids."""
    words = [
        typed[slice(*span)].lower() if token == _UNKNOWN else token
        for token, span in zip(read, source.spans, strict=True)
        if span is not None
    ]
    return {
        span[0]: Place(words[i], tuple(words[:i]), tuple(words[i + 1 :]))
        for i, (token, span) in enumerate(zip(read, source.spans, strict=True))
        if span is not None and token == _UNKNOWN
    }


def offer(lexis: Lexis, place: Place) -> tuple[str, ...]:
    """Return the known words that fit best, the best first."""
    if len(place.word) > _LONGEST or not any(map(str.isalpha, place.word)):
        return ()
    tags = _tags(lexis, place)
    meant = lexis.senses.get(place.word, ())
    alike = {} if meant else _alike(place.word, lexis)
    near = _company(lexis, place)
    scores: dict[str, float] = {}
    for row, word in enumerate(lexis.words):
        fits = [
            math.log(tags[tag_of(sense)])
            + _goes_with(lexis, place, sense)
            + _means(sense, meant)
            + _OFTEN * math.log(sense.weight)
            for sense in lexis.senses.get(word, ())
            if tags.get(tag_of(sense)) and _can_be_meant(sense, word, meant, alike)
        ]
        if fits:
            seen = _OFTEN * math.log1p(lexis.often[word])
            scores[word] = max(fits) + near[row] + seen + alike.get(word, 0.0)
    return tuple(sorted(scores, key=lambda word: -scores[word])[:MOST_OFFERED])


def _can_be_meant(
    sense: Sense, word: str, meant: Sequence[Sense], alike: Mapping[str, float]
) -> bool:
    """Return whether a word may be offered at all in this sense.

    Not where it names something else than the unknown word does; and nobody is offered "the" but
    for "teh".
    """
    if meant:
        return sense.part != "noun" or _means(sense, meant) > 0
    if sense.part not in CONTENT:
        return word in alike
    return sense.part != "noun" or sense.form in ("il", "ils")


def _tags(lexis: Lexis, place: Place) -> dict[str, float]:
    """Return what an unknown word can be: what the lexicon says, else by its place and ending."""
    before = place.before[-1] if place.before else EDGE
    after = place.after[0] if place.after else EDGE
    likely = lexis.likely_tags(before, after)
    if known := lexis.tags(place.word):
        meant = {tag for tag, share in known.items() if share >= _MEANT}
        return {tag: max(likely.get(tag, 0.0), _LEAST) for tag in meant}
    factors = next(f for ending, f in _ENDINGS.items() if place.word.endswith(ending))
    other = _ODD if any(factor > 1 for factor in factors.values()) else 1.0
    told = {
        tag: chance * factors.get(tag, factors.get(tag.split()[0], other))
        for tag, chance in likely.items()
    }
    whole = sum(told.values())
    return {tag: max(chance / whole, _LEAST) for tag, chance in told.items()} if whole else {}


def _goes_with(lexis: Lexis, place: Place, sense: Sense) -> float:
    """Compute how well a word goes with those around it: eat with bread, red with a dress."""
    before, after = place.before[-_REACH:], place.after[:_REACH]
    if sense.part == "verb":
        objects = _first_kinds(lexis, after, "noun")
        subjects = _first_kinds(lexis, tuple(reversed(before)), "noun", "pronoun", "name")
        taken = _overlap(sense.objects, objects) if objects else 0.5 * (not sense.objects)
        return 2 * taken + _overlap(sense.kinds, subjects)
    if sense.part == "adjective":
        described = _first_kinds(lexis, after, "noun") or _first_kinds(
            lexis, tuple(reversed(before)), "noun", "pronoun"
        )
        return _overlap(sense.kinds, described)
    if sense.part == "noun":
        wanted = _objects(lexis, tuple(reversed(before)))
        described = _first_kinds(lexis, tuple(reversed(before[-1:])), "adjective")
        done = _first_kinds(lexis, after, "verb")
        return sum(_overlap(sense.kinds, kinds) for kinds in (wanted, described, done))
    return 0.0


def _first_kinds(lexis: Lexis, words: Sequence[str], *parts: str) -> frozenset[str]:
    """Return the kinds of the first word that is one of these parts of speech."""
    for word in words:
        found = [sense for sense in lexis.senses.get(word, ()) if sense.part in parts]
        if found:
            return frozenset().union(*(sense.kinds for sense in found))
    return frozenset()


def _objects(lexis: Lexis, words: Sequence[str]) -> frozenset[str]:
    """Return the kinds that the first verb or preposition among some words takes."""
    for word in words:
        for sense in lexis.senses.get(word, ()):
            if sense.part == "verb" and sense.objects:
                return sense.objects
            if sense.part == "preposition" and sense.kinds:
                return sense.kinds
    return frozenset()


def _overlap(kinds: Collection[str], others: Collection[str]) -> float:
    """Return 1 where two sets of kinds have a member in common, -1 where they have none."""
    if not kinds or not others:
        return 0.0
    return 1.0 if set(kinds) & set(others) else -1.0


def _means(sense: Sense, meant: Sequence[Sense]) -> float:
    """Compute how much a sense has in common with those of the unknown word."""
    best = 0.0
    for other in meant:
        if sense.part == other.part:
            shares = [
                len(a & b) / len(a | b)
                for a, b in ((sense.kinds, other.kinds), (sense.objects, other.objects))
                if a or b
            ]
            best = max(best, sum(shares) / len(shares) if shares else 0.0)
    return 4 * best


def _company(lexis: Lexis, place: Place) -> np.ndarray:
    """Compute how alike the words around each known word usually are to those that are here."""
    total = np.zeros(len(lexis.words))
    for rows, words in zip(lexis.company, (place.before[-1:], place.after[:1]), strict=True):
        for word in words:
            if word in lexis.places:
                total += rows @ lexis.vectors[lexis.places[word]]
    return total


def _alike(word: str, lexis: Lexis) -> dict[str, float]:
    """Return which words a slip of the hand may mean, or are other forms of the same word."""
    found = {
        other: _SLIP * (difflib.SequenceMatcher(None, word, other).ratio() - _SPELLED_ALIKE)
        for other in difflib.get_close_matches(word, lexis.words, n=8, cutoff=_SPELLED_ALIKE)
    }
    slips = _slips(word)
    found |= {w: max(found.get(w, 0.0), _ONE_SLIP) for w in lexis.words if w in slips}
    stem = _stem(word)
    same = [w for w in lexis.words if stem in (_stem(w), _stem(lexis.lemmas.get(w, "")))]
    return found | dict.fromkeys(same, _SAME_WORD)


def _slips(word: str) -> set[str]:
    """Write a word as one slip of the hand makes it: a letter left out, changed or swapped."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    left_out = {a + b[1:] for a, b in cuts if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    changed = {a + c + b[1:] for a, b in cuts if b for c in ascii_lowercase}
    added = {a + c + b for a, b in cuts for c in ascii_lowercase}
    return left_out | swapped | changed | added


def _stem(word: str) -> str:
    """Take an ending away: "bak" of "bakes", "baked" and "baking"."""
    for ending in ("ing", "ies", "ied", "es", "ed", "er", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word
