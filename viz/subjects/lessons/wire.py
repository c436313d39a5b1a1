"""The lessons in the form that the browser receives."""

from typing import TypedDict


class WireListed(TypedDict):
    """A lesson of the list."""

    id: str
    title: str
    goal: str
    minutes: int
    asked: list[int]
    """The number of steps that ask something."""
    path: bool
    """Whether it is on the ten-minute path."""


class WireLessons(TypedDict):
    """All lessons."""

    language: str
    lessons: list[WireListed]
    current: tuple[str, int] | None
    """The current step of the lesson."""


class WireBring(TypedDict):
    """The field for your own file."""

    most: int
    """The largest size of the file in bytes."""
