"""Entries of a bilingual lexicon: one English form with its features, and how French says it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sample_data.grammar.features import Values


@dataclass(frozen=True, slots=True)
class French:
    """One French word before spelling: what stands next to it may still change it."""

    text: str
    before_vowel: str | None = None
    """Its form before a vowel ("bel", "cet"), where that is more than an apostrophe."""
    article: bool = False
    """Whether it is a definite article, which joins with "à" and "de": "au", "des"."""
    partitive: bool = False
    """Whether it is "du", "de la" or "des": nothing of it is left after "de" ("besoin de")."""
    of: tuple[int, ...] | None = None
    """The English words of the entry, by index, that it translates; None for all of them."""


Features = Mapping[str, str | None]
"""The settled features of a word in its sentence; None where nothing settled one."""
Said = Mapping[str, tuple[French, ...]]
"""French words by the field that a rule puts in its place; "" is the main one."""


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """One English form. `eq` is identity: two entries may look alike."""

    category: str
    english: tuple[str, ...]
    """Words; none for what only French says."""
    features: Mapping[str, Values]
    french: Callable[[Features], Said]
    weight: float = 1.0
    """How often it is drawn beside the others of its category."""
    preference: int = 0
    """What is read before others that fit as well, or, below 0, after them."""
