"""The data of embeddings in the form that the browser receives."""

from collections.abc import Mapping, Sequence
from typing import TypedDict


class WireWord(TypedDict):
    """A clicked word, by its index among those that were sent."""

    at: int


class WireCloud(TypedDict):
    """Words as points of a plane."""

    points: Sequence[tuple[float, float]]
    words: Sequence[str]
    groups: Sequence[str]
    chosen: int
    """The index of the word with a ring."""
    heads: Sequence[int]
    """The words with bold labels."""
    near: Sequence[tuple[int, int]]
    """Lines from a word to one near it."""
    looks: Mapping[str, tuple[str, str]]
    """The colour of each group on a light page and on a dark one, in the order of the legend."""


class WireNearest(TypedDict):
    """The words nearest to one, the nearest first."""

    of: str
    words: Sequence[str]
    groups: Sequence[str]
    cosines: Sequence[float]
    looks: Mapping[str, tuple[str, str]]
