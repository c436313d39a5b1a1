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
