"""What is sent of the two heads that copy; browser/wire.d.ts says the same."""

from typing import TypedDict


class WireReader(TypedDict):
    """One of the two heads: its name, and what each row of it reads."""

    name: str
    weights: list[list[int]]


class WireTrick(TypedDict):
    """A text that repeats itself, and two heads that read it."""

    run: str
    tokens: list[str]
    followers: list[list[int]]
    copier: WireReader
    before: WireReader | None
    likeliest: list[str]
    chances: list[float]
    row: int
