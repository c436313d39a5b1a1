"""What all entries are made with: features from their notation, weights, and what French says."""

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
"""Kinds that are always of a wider kind."""

Make = Callable[[Features], Said]
"""What French says, by the features that the sentence settled."""


def values(text: str) -> Values:
    """Return the alternatives that a text lists: "je|tu"."""
    return frozenset(text.split("|"))


def listed(text: str) -> Values:
    """Return the alternatives that a field of a table lists, apart by spaces."""
    return frozenset(text.split())


def features(**texts: str) -> dict[str, Values]:
    """Return features by their alternatives."""
    return {name: values(text) for name, text in texts.items()}


def parsed(text: str) -> dict[str, Values]:
    """Return the features of a text in the notation of the rules: "agr=il neg=no|ask"."""
    return {name: values(value) for name, _, value in (f.partition("=") for f in text.split())}


def weight(row: Row, step: float = 2.0) -> float:
    """Return how often a word is drawn; each step of "often" multiplies it."""
    return step ** (int(row["often"]) - 1)


def share(row: Row) -> float:
    """Return how often a word is drawn beside the others of its category."""
    return float(row["share"])


def kinds(text: str) -> Values:
    """Return the kinds of a field, "all" written out; a job and a relative are persons too."""
    found = listed(text)
    if "all" in found:
        found = (found - {"all"}) | _CONCRETE
    if found & {"job", "family"}:
        found |= {"person"}
    return found


def taken(text: str) -> Values:
    """Return the kinds that a field says go with a word, and all that are of such a kind."""
    found = kinds(text)
    return found.union(*(_NARROWER.get(kind, ()) for kind in found))


def make_entry(
    category: str,
    english: str,
    of: Mapping[str, Values],
    french: Make,
    often: float = 1.0,
) -> Entry:
    """Make an entry of English as a table writes it."""
    return Entry(category, english_words(english), of, french, often)


def say(main: str = "", **fields: str) -> Make:
    """Return the same, whatever the features."""
    said = {
        name: tuple(French(word) for word in french_words(text))
        for name, text in {"": main, **fields}.items()
        if text
    }
    return lambda _of: said
