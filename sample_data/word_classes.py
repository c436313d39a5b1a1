"""Facts about words: their parts of speech, the forms of nouns, the senses of both."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class NounForm:
    """The gender and number of a noun in French."""

    is_feminine: bool
    is_plural: bool
    """Whether the French word is plural: "hair" is plural in French, and "jeans" is singular."""
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
    """The target words on which a head is scored; none if on all."""
    source: Mapping[str, str]
    """The part of speech of source words; the most frequent one if there are several."""
    target: Mapping[str, str]
    source_nouns: Mapping[str, KnownNoun] = field(default_factory=dict)
    """The gender and number of source nouns in the target language."""
    target_nouns: Mapping[str, KnownNoun] = field(default_factory=dict)


@dataclass(frozen=True)
class Sense:
    """The sense of a noun, or of the nouns that an adjective describes."""

    kinds: frozenset[str]
    lives: bool | None
    """Whether it names or describes living beings; None if it may do both."""
    gender: str = ""


@dataclass(frozen=True)
class Senses:
    """The senses of source words."""

    nouns: Mapping[str, Sense]
    adjectives: Mapping[str, Sense]
    """The words, the most frequent first."""
