"""What is sent of the lessons and of the exam, by name."""

from typing import TypedDict

from viz.frame.lesson.wire import WireOption


class WireListed(TypedDict):
    """A lesson of the list."""

    id: str
    title: str
    goal: str
    minutes: int
    asked: list[int]
    """The steps that ask something."""
    path: bool
    """Whether it is on the ten-minute path."""


class WireLessons(TypedDict):
    """All lessons."""

    language: str
    lessons: list[WireListed]
    current: tuple[str, int] | None
    """The step of the lesson that goes on."""


class WireBring(TypedDict):
    """The field for a file of one's own."""

    most: int
    """Bytes of it."""


class WireExamRow(TypedDict):
    """One row: the words that may be clicked, and what was written before."""

    options: list[WireOption]
    written: str
    following: str
    """The word that the row writes; a question mark until the end."""
    gloss: str
    link: str
    truth: str
    """Empty until the end."""


class WireExam(TypedDict):
    """The exam: its rows; after the end the guesses and how many were right."""

    seed: int
    language: str
    rows: list[WireExamRow]
    guesses: list[str]
    """Empty until the end."""
    helped: list[int]
    """The rows, from 0, that were answered after a hint."""
    scores: tuple[int, int, int] | None
    """Of the person, of reading from left to right, of the model's head."""
    enough: int
