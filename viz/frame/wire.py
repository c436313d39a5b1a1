"""What is sent for the sentence bar, by name; wire.d.ts of the pictures says the same."""

from typing import TypedDict


class WireVocabulary(TypedDict):
    """The words that a model knows, the most frequent first, and the part of speech of each."""

    words: list[str]
    parts: list[int]
    names: list[str]
    whole: bool
    carries: bool


class WireJudged(TypedDict):
    """A source that was read, and where it has unknown words and some that are carried over."""

    text: str
    unknown: list[tuple[int, int]]
    carried: list[tuple[int, int]]


class WirePager(TypedDict):
    """The pages by URL and title, and the URL of the one in view."""

    pages: list[tuple[str, str]]
    current: str


class WireStretch(TypedDict):
    """Words of two texts that are written over one another: the same, gone or new."""

    fate: str
    text: str


class WireChange(TypedDict):
    """One change of the run in view, in words."""

    text: str
    on: bool
    applies: bool
    """Whether it means anything in this run."""


class WireChanges(TypedDict):
    """All changes of the run in view, and what they did to its output."""

    run: str
    before: str
    """Keys of the run in view and of the same one without changes."""
    changes: list[WireChange]
    stretches: list[WireStretch]
    said: str
    """What they did, in words."""
    numbers: list[tuple[str, str, str]]
    """Names of numbers of the output, and what they were before and are now."""
    undo: bool
    redo: bool
