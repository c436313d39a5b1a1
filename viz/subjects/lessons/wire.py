"""What is sent of the lessons, by name."""

from typing import TypedDict


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
