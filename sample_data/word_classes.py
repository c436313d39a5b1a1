"""Facts about words: their parts of speech, the forms of nouns, the senses of both."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class NounForm:
    """What French says of a noun."""

    is_feminine: bool
    is_plural: bool
    """Whether the French word is plural: "hair" is several things there, and "jeans" are one."""
    looks_plural: bool
    """Whether the word itself is plural."""


@dataclass(frozen=True)
class KnownNoun:
    """A noun that has one form."""

    form: NounForm
    french: str
    """The French noun, which its singular, its plural and all its English names share."""


@dataclass(frozen=True)
class WordClasses:
    """Facts about the words of a task."""

    scored: frozenset[str]
    """The target words that a head is scored on, where not all are worth it."""
    source: Mapping[str, str]
    """The part of speech of source words; of one that has several, the most frequent."""
    target: Mapping[str, str]
    source_nouns: Mapping[str, KnownNoun] = field(default_factory=dict)
    """The gender and number that the target language gives source nouns."""
    target_nouns: Mapping[str, KnownNoun] = field(default_factory=dict)


@dataclass(frozen=True)
class Sense:
    """The sense of a noun, or of the nouns that an adjective describes."""

    kinds: frozenset[str]
    lives: bool | None
    """Whether it names or describes living beings; None if it may be both."""
    gender: str = ""


@dataclass(frozen=True)
class Senses:
    """The senses of source words."""

    nouns: Mapping[str, Sense]
    adjectives: Mapping[str, Sense]
    """The most frequent first."""
