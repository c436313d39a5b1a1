"""Functions for making entries: features from their notation, weights, and the French words."""

from collections.abc import Callable, Mapping

from sample_data.everyday.tables import Row, english_words, french_words
from sample_data.grammar.features import Values
from sample_data.grammar.lexicon import Entry, Features, French, Said

SLOTS = (1, 2)
"""The unknown words of a kind that a sentence may hold, by number."""
_CONCRETE = frozenset(
    {"person", "animal", "thing", "place", "food", "drink", "clothes", "vehicle", "building"}
    | {"room", "furniture", "body"}
)
_NARROWER = {
    "person": {"known", "family", "close", "sibling"},
    "animal": {"pet"},
    "thing": {"carried", "given", "opened"},
    "abstract": {"had"},
    "building": {"goal"},
    "place": {"goal"},
    "food": {"made", "fed"},
    "drink": {"fed-drink", "made"},
}
"""Kinds that always belong to a wider kind."""

Make = Callable[[Features], Said]
"""A function from the settled features of a sentence to the French words."""


def values(text: str) -> Values:
    """Return the alternatives in a text: "je|tu"."""
    return frozenset(text.split("|"))


def listed(text: str) -> Values:
    """Return the alternatives in a field of a table, separated by spaces."""
    return frozenset(text.split())


def features(**texts: str) -> dict[str, Values]:
    """Return features with their alternatives."""
    return {name: values(text) for name, text in texts.items()}


def parsed(text: str) -> dict[str, Values]:
    """Return the features in a text in the notation of the rules: "agr=il neg=no|ask"."""
    return {name: values(value) for name, _, value in (f.partition("=") for f in text.split())}


def weight(row: Row, step: float = 2.0) -> float:
    """Return the weight with which a word is drawn; each step of "often" multiplies it."""
    return step ** (int(row["often"]) - 1)


def share(row: Row) -> float:
    """Return the weight of a word among the others of its category."""
    return float(row["share"])


def kinds(text: str) -> Values:
    """Return the kinds in a field, "all" written out; jobs and relatives are also persons."""
    found = listed(text)
    if "all" in found:
        found = (found - {"all"}) | _CONCRETE
    if found & {"job", "family"}:
        found |= {"person"}
    return found


def taken(text: str) -> Values:
    """Return the kinds that fit a word by a field, with all their subkinds."""
    found = kinds(text)
    return found.union(*(_NARROWER.get(kind, ()) for kind in found))


def make_entry(
    category: str,
    english: str,
    of: Mapping[str, Values],
    french: Make,
    often: float = 1.0,
) -> Entry:
    """Make an entry from the English of a table."""
    return Entry(category, english_words(english), of, french, often)


def say(main: str = "", **fields: str) -> Make:
    """Return a function that gives the same French for all features."""
    said = {
        name: tuple(French(word) for word in french_words(text))
        for name, text in {"": main, **fields}.items()
        if text
    }
    return lambda _of: said
