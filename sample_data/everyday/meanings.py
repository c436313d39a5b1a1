"""What the nouns of the lexicon mean, roughly: people, animals, food and so on."""

from collections.abc import Mapping
from functools import cache

from sample_data.everyday.nouns import nouns

_KINDS = {
    "person": "person family job",
    "animal": "animal pet",
    "food": "food fruit drink meal edible-animal",
    "clothes": "clothes",
    "body": "body",
    "place": "place building room way",
    "vehicle": "vehicle",
    "nature": "nature plant",
    "time": "time",
    "idea": "abstract event subject sport written watched heard",
    "thing": "thing furniture machine electronic tool",
}
"""The kinds of each meaning; of a noun of several, the first counts: a bus is no thing."""


def english_meanings() -> Mapping[str, str]:
    """Return the meaning of each noun of one English word; where it has two, that of the first."""
    return _meanings()[0]


def french_meanings() -> Mapping[str, str]:
    """Return the meaning of each noun of one French word."""
    return _meanings()[1]


@cache
def _meanings() -> tuple[dict[str, str], dict[str, str]]:
    english: dict[str, str] = {}
    french: dict[str, str] = {}
    for noun in nouns():
        kinds = noun.features["kind"]
        found = next((name for name, own in _KINDS.items() if kinds & {*own.split()}), None)
        if found:
            of_french = tuple(word.text for word in noun.french({})[""])
            for meanings, words in ((english, noun.english), (french, of_french)):
                if len(words) == 1:
                    meanings.setdefault(words[0], found)
    return english, french
