"""One text, and the words of it that the other words determine."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A word that can be predicted from other words of its text."""

    word: int
    """Its position; words (or characters) are counted from 0."""
    looks: tuple[int, ...]
    """The positions that decide it, the first one first."""
    kind: str
    """Its difficulty, by which scores are reported."""


@dataclass(frozen=True)
class Text:
    """A text with its gold: where a model should look for each predictable word."""

    text: str
    known: tuple[Known, ...]
    """The predictable words in the order of the text."""
