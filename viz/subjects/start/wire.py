"""What is sent of the question and its answer, by name; browser/wire.d.ts says the same.

A vector or a matrix, row after row, is float32 in base64.
"""

from typing import Literal, TypedDict

Scene = Literal["guess", "query", "scores", "softmax", "mix", "answer"]


class WireRow(TypedDict):
    """What the head computes for the word that is asked about."""

    q: str
    k: str
    v: str
    scores: str
    weights: str
    mix: str


class WireAnswer(TypedDict):
    """The word that was written for the one that is asked about."""

    at: int
    probability: float
    without: float


class WireReading(TypedDict):
    """One sentence, what was written for it, and what the head reads."""

    source: str
    label: str
    tokens: tuple[str, ...]
    written: list[tuple[str, str]]
    given: bool
    unknown: bool
    weights: str
    row: WireRow
    answer: WireAnswer | None
    right: int | None
    gender: str


class WireStart(TypedDict):
    """The question of a run, its readings, and where the reader is."""

    layer: int
    head: int
    query: int
    sizes: tuple[int, int]
    candidates: tuple[int, ...]
    readings: list[WireReading]
    current: int
    languages: tuple[str, str]
    scene: Scene
    guess: int
    word: int
    """Position of the word that was chosen to be asked about; -1 of none."""
    number: int
