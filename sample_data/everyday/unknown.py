"""The tokens for unknown words, and the words that show the kind of an unknown word."""

from collections.abc import Mapping
from typing import Any

from sample_data.everyday.entries import SLOTS
from sample_data.everyday.language import grammar

_BEFORE_NOUNS = ("Det", "Adjective", "Possessive", "Count")
_BEFORE_VERBS = ("Pronoun", "Operator", "Do", "Modal", "Would", "Be", "Not")


def unknown_words() -> Mapping[str, Any]:
    """Return the tokens of the everyday grammar, by the fields of `model.text.stand_ins.StandIns`.

    After a determiner or an adjective comes a noun, unless a noun follows: then the word would be
    an adjective, which cannot be inflected. After a pronoun or an auxiliary comes a verb.
    """
    nouns = _words("Noun")
    after = _words(*_BEFORE_NOUNS)
    return {
        "nouns": tuple(f"<x{i}>" for i in SLOTS),
        "plurals": tuple(f"<x{i}s>" for i in SLOTS),
        "names": tuple(f"<n{i}>" for i in SLOTS),
        "numbers": tuple(f"<d{i}>" for i in SLOTS),
        "times": ("<t1>",),
        "noun_after": after | {"an"},
        "not_before": nouns | _words("Adjective"),
        "verb_after": _words(*_BEFORE_VERBS),
    }


def _words(*categories: str) -> frozenset[str]:
    """Return the entries of one word."""
    entries = (entry for category in categories for entry in grammar().entries[category])
    return frozenset(entry.english[0] for entry in entries if len(entry.english) == 1)
