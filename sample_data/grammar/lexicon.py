"""Entries of a bilingual lexicon: one English form with its features, and its French words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sample_data.grammar.features import Values


@dataclass(frozen=True, slots=True)
class French:
    """One French word before spelling, which may change with the words beside it."""

    text: str
    before_vowel: str | None = None
    """Its form before a vowel ("bel", "cet"), if that is more than an apostrophe."""
    article: bool = False
    """Whether it is a definite article, which joins with "à" and "de": "au", "des"."""
    partitive: bool = False
    """Whether it is "du", "de la" or "des", which disappears after "de" ("besoin de")."""
    of: tuple[int, ...] | None = None
    """The English words of the entry, by index, that it translates; None for all of them."""


Features = Mapping[str, str | None]
"""The settled features of a word in its sentence; None for one that nothing settled."""
Said = Mapping[str, tuple[French, ...]]
"""French words by the field that a rule inserts; "" is the main one."""


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """One English form. `eq` is identity, because two entries may be equal."""

    category: str
    english: tuple[str, ...]
    """Its words; none for an entry that only French has."""
    features: Mapping[str, Values]
    french: Callable[[Features], Said]
    weight: float = 1.0
    """Its weight among the others of its category."""
    preference: int = 0
    """Its preference among readings that fit equally; below 0 it is read last."""
