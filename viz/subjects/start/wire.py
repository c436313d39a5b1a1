"""What is sent of the question and its answer, by name.

A vector or a matrix, row after row, is float32 in base64.
"""

from typing import Literal, TypedDict

Scene = Literal["guess", "query", "scores", "softmax", "mix", "answer"]


class WireMove(TypedDict):
    """The reader's place in the picture: the stage, the guess, the word asked about, the sentence.

    Below 0 there is no guess, and the word is the usual one.
    """

    scene: Scene
    guess: int
    word: int
    source: str
    number: int


class WireRow(TypedDict):
    """What the head computes for the word that is asked about."""

    q: str
    k: str
    v: str
    scores: str
    """Before the softmax, scaled."""
    weights: str
    mix: str
    """What the head hands on."""


class WireAnswer(TypedDict):
    """The word that was written for the one that is asked about."""

    at: int
    """Its place among those written."""
    probability: float
    without: float
    """Its probability with the head switched off."""


class WireReading(TypedDict):
    """One sentence, what was written for it, and what the head reads."""

    source: str
    label: str
    """What it is called beside the other one."""
    tokens: tuple[str, ...]
    written: list[tuple[str, str]]
    """What stands before each word, and the word."""
    given: bool
    unknown: list[str]
    """The words of the sentence that the model does not know, as they were typed."""
    weights: str
    """Of the whole head, row after row."""
    row: WireRow
    answer: WireAnswer | None
    right: int | None
    """Where the noun stands that the data say is meant."""
    gender: str
    """Of that noun: m or f, as far as the data say."""


class WireStart(TypedDict):
    """The question of a run, its readings, and where the reader is."""

    layer: int
    head: int
    query: int
    sizes: tuple[int, int]
    """Numbers in a query and a key; in a value."""
    candidates: tuple[int, ...]
    readings: list[WireReading]
    current: int
    languages: tuple[str, str]
    scene: Scene
    guess: int
    """Position of the word that was guessed; -1 of none."""
    word: int
    """Position of the word that was chosen to be asked about; -1 of none."""
    number: int
