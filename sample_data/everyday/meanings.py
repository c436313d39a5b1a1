"""The kind of each English word: words of one kind can replace each other in a sentence."""

from collections.abc import Mapping
from functools import cache

from sample_data.everyday.classes import CONTENT, classed_entries, english_classes
from sample_data.grammar.features import Values
from sample_data.grammar.lexicon import Entry

_KINDS = {
    "person": "family job person",
    "animal": "pet animal",
    "food": "drink meal fruit edible-animal food",
    "clothes": "clothes",
    "body": "body",
    "place": "way room building place",
    "vehicle": "vehicle",
    "nature": "plant nature",
    "time": "time",
    "idea": "subject sport written watched heard event abstract",
    "thing": "furniture machine electronic tool thing",
}
"""The kinds of each meaning, the closest first. The first kind of a noun with several counts: a bus
is not a thing."""
_FORM = ("agr", "form", "gov", "frame", "gen", "of", "time")
"""Features that words must share to replace each other; nouns may differ in gender."""
_TOLD_APART = CONTENT | {"determiner"}
"""Parts of speech that have kinds: "two" cannot replace "my"."""


@cache
def english_kinds() -> Mapping[str, str]:
    """Return the kind of each English word, the most frequent words first.

    Words of a kind can replace each other: nouns of one number that are both relatives, or both
    ways to cross; verbs of one form, with an object or without.
    """
    classes = english_classes()
    entries = sorted(classed_entries(), key=lambda found: -found[0].weight)
    found: dict[str, str] = {}
    for entry, name in entries:
        if len(entry.english) == 1 and classes[entry.english[0]] == name:
            found.setdefault(entry.english[0], _kind(entry) if name in _TOLD_APART else name)
    return {**found, **{word: name for word, name in classes.items() if word not in found}}


def _kind(entry: Entry) -> str:
    of = entry.features
    form = [
        "|".join(sorted(of[name]))
        for name in _FORM
        if name in of and not (name == "gen" and entry.category == "Noun")
    ]
    meaning, kind = _meaning(of.get("kind", frozenset())) if entry.category == "Noun" else ("", "")
    return " ".join([entry.category, *form, meaning, kind])


def _meaning(kinds: Values) -> tuple[str, str]:
    """Find the first meaning of a noun, and its closest kind; empty texts if there is none."""
    of_meanings = ((name, kind) for name, own in _KINDS.items() for kind in own.split())
    return next((found for found in of_meanings if found[1] in kinds), ("", ""))
