"""One text, and which words of it the rest decides."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A word that can be known from other words of its text."""

    word: int
    """Its place; words (or characters) are counted from 0."""
    looks: tuple[int, ...]
    """The places of what decides it, the first one first."""
    kind: str
    """What makes it easy or hard: scores are told apart by it."""


@dataclass(frozen=True)
class Text:
    """A text with its gold: where a model should look for each word that can be known."""

    text: str
    known: tuple[Known, ...]
    """In the order of the text."""
