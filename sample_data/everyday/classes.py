"""The part of speech that each word form has most often, and the constructions of sentences."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

from sample_data.everyday.conjugation import PERSONS
from sample_data.everyday.language import grammar
from sample_data.grammar.lexicon import Entry

_CLASSES = {
    "noun": "Noun Name City Country Season Feast Day Days Month BodyPart Meal Vessel Travelling",
    "verb": "Verb Catenative Opinion BodyVerb Speak SplitVerb Hurts",
    "adjective": "Adjective Comparative Superlative CalledWord GoodAt",
    "adverb": "Often Never Ever Manner Much AtPlace ToPlace Time Degree Very Late AskingAdverb"
    " Transport",
    "determiner": "Det The All Quel Zero Count",
    "pronoun": "Pronoun ObjectPronoun Strong It These Third ItOf Somebody Everyone Something That",
    "preposition": "Preposition Around In Of Particle",
    "conjunction": "Link And Or Because Condition Whether RelativeWord Whom",
    "negation": "Not",
    "auxiliary": "Do Operator ShortOperator Modal Would Be",
    "punctuation": "Close Ask Exclaim End Comma Pause",
}
_CLASS_OF = {category: name for name, text in _CLASSES.items() for category in text.split()}
_TENSES = ("present", "imperfect", "past", "future", "inf", "imperative", "conditional", "together")
_CONTENT = frozenset({"noun", "verb", "adjective", "adverb"})

_Votes = defaultdict[str, float]
"""How often a word is drawn in each class."""


@cache
def english_classes() -> Mapping[str, str]:
    """Return the class of each English word."""
    votes: defaultdict[str, _Votes] = defaultdict(lambda: defaultdict(float))
    for entry, name in _entries():
        for word in entry.english:
            votes[word][name] += entry.weight / len(entry.english)
    return _winners(votes)


@cache
def french_classes() -> Mapping[str, str]:
    """Return the class of each French word."""
    votes: defaultdict[str, _Votes] = defaultdict(lambda: defaultdict(float))
    for entry, name in _entries():
        forms = list(french_forms(entry))
        for word in forms:
            votes[word][name] += entry.weight / len(forms)
    return _winners(votes)


@cache
def content_words() -> frozenset[str]:
    """Return the French words that carry meaning: a head can be scored on them."""
    return frozenset(word for word, name in french_classes().items() if name in _CONTENT)


def _entries() -> Iterator[tuple[Entry, str]]:
    for category, entries in grammar().entries.items():
        if name := _CLASS_OF.get(category):
            for entry in entries:
                yield entry, name


def french_forms(entry: Entry) -> Iterator[str]:
    """Yield every word that an entry can say in French, before spelling."""
    tenses = [t for t in _TENSES if t in entry.features.get("tense", ())] or ["present"]
    for tense, person, gender in product(tenses, PERSONS, "mf"):
        asked = {"tense": tense, "per": person, "gen": gender, "sgen": gender, "be": "être"}
        settled = {name: next(iter(v)) for name, v in entry.features.items() if len(v) == 1}
        for words in entry.french({**asked, **settled}).values():
            for word in words:
                yield word.text
                if word.before_vowel:
                    yield word.before_vowel


def _winners(votes: Mapping[str, _Votes]) -> dict[str, str]:
    return {word: max(given, key=given.__getitem__) for word, given in votes.items()}
