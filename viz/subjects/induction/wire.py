"""The two heads that copy in the form that the browser receives."""

from typing import TypedDict


class WireReader(TypedDict):
    """One of the two heads: its name, and what each row of it reads."""

    name: str
    weights: list[list[float]]
    """The weights of each row in thousandths: whole numbers, except near 0 and near 1000."""
    does: list[bool]
    """Whether the head does its half of the mechanism in each row."""


class WireTrick(TypedDict):
    """A text that repeats itself, and two heads that read it."""

    run: str
    tokens: list[str]
    """The token of each row."""
    followers: list[list[int]]
    """For each row, the positions after earlier copies of its token."""
    copier: WireReader
    """The head that reads the tokens after earlier copies."""
    before: WireReader | None
    """The head below it that reads the token before; None if there is none below."""
    likeliest: list[str]
    chances: list[float]
    row: int
    """The row to begin with."""
