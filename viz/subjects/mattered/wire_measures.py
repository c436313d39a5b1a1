"""What is sent of the measures, by name."""

from typing import Literal, TypedDict


class WireMeasure(TypedDict):
    """One measure: its words, how far it agrees, and its rows as far as they are known."""

    name: str
    label: str
    what: str
    swap: str
    gold: str
    rows: list[list[float | None] | None]
    """A number for each source token, for each step; null where it is not known."""


class WireMattered(TypedDict):
    """All measures of a run."""

    run: str
    source: tuple[str, ...]
    written: tuple[str, ...]
    by: Literal["step", "query"]
    """What of the selection says which of them is in view."""
    gold: list[tuple[int, int]]
    """Step and source position."""
    measures: list[WireMeasure]
    headings: tuple[str, str]
    """Of the two columns of agreement; empty where nothing is known of it."""
