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
_OF_RULES = {
    # words in the rules themselves
    "english": {
        "preposition": "to of in on at for from with by into until between during about",
        "pronoun": "there who what whose it i",
        "adverb": "where when how ago",
        "determiner": "a no many much every last next",
        "auxiliary": "will used going let",
        "conjunction": "and than that",
    },
    "french": {
        "preposition": "de d' à dans pour avec en sur sans par chez depuis",
        "pronoun": "il y qui ce c' moi",
        "adverb": "où quand comment combien",
        "negation": "ne n' pas",
        "auxiliary": "est-ce",
        "conjunction": "que qu' et",
        "determiner": "l' au aux du des",
    },
}
_CLASS_OF = {category: name for name, text in _CLASSES.items() for category in text.split()}
_TENSES = ("present", "imperfect", "past", "future", "inf", "imperative", "conditional", "together")
_COMPANY = frozenset({"tail", "preposition", "helper", "self", "toi", "hours"})
"""Fields of French that belong to the word that the entry is about."""
_IN_COMPANY = 0.001
"""The weight of a word in an entry of several: enough for a word with no other entry."""
CONTENT = frozenset({"noun", "verb", "adjective", "adverb"})
"""Parts of speech of content words, which get new members all the time."""


@cache
def english_classes() -> Mapping[str, str]:
    """Return the class of each English word."""
    votes: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for entry, name in classed_entries():
        share = 1 if len(entry.english) == 1 else _IN_COMPANY
        for word in entry.english:
            votes[word][name] += entry.weight * share
    return _winners(votes, "english")


@cache
def french_classes() -> Mapping[str, str]:
    """Return the class of each French word."""
    votes: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for entry, name in classed_entries():
        for word, alone in set(_french_forms(entry)):
            votes[word][name] += entry.weight * (1 if alone else _IN_COMPANY)
    return _winners(votes, "french")


@cache
def content_words() -> frozenset[str]:
    """Return the French content words, on which a head can be scored."""
    return frozenset(word for word, name in french_classes().items() if name in CONTENT)


def classed_entries() -> Iterator[tuple[Entry, str]]:
    """Yield every entry that has a part of speech, with it."""
    for category, entries in grammar().entries.items():
        if name := _CLASS_OF.get(category):
            for entry in entries:
                yield entry, name


def _french_forms(entry: Entry) -> Iterator[tuple[str, bool]]:
    """Yield every French word of an entry, and whether it alone translates the entry.

    In "faire la vaisselle", "la" and "vaisselle" do not.
    """
    tenses = [t for t in _TENSES if t in entry.features.get("tense", ())] or ["present"]
    for tense, person, gender in product(tenses, PERSONS, "mf"):
        asked = {"tense": tense, "per": person, "gen": gender, "sgen": gender, "be": "être"}
        settled = {name: next(iter(v)) for name, v in entry.features.items() if len(v) == 1}
        for field, words in entry.french({**asked, **settled}).items():
            for word in words:
                if word.text == "-":  # the verb lacks this form
                    continue
                alone = len(words) == 1 and field not in _COMPANY
                yield word.text, alone
                if word.before_vowel:
                    yield word.before_vowel, alone


def _winners(votes: Mapping[str, Mapping[str, float]], language: str) -> dict[str, str]:
    found = {word: max(counts, key=lambda name: counts[name]) for word, counts in votes.items()}
    in_rules = _OF_RULES[language].items()
    return found | {word: name for name, words in in_rules for word in words.split()}
