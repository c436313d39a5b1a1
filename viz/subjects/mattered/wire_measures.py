"""The measures in the form that the browser receives."""

from typing import Literal, TypedDict


class WireMeasure(TypedDict):
    """One measure: its words, how far it agrees, and its rows as far as they are known."""

    name: str
    label: str
    what: str
    swap: str
    gold: str
    rows: list[list[float | None] | None]
    """A number for each source token, for each step; null if unknown."""


class WireMattered(TypedDict):
    """All measures of a run."""

    run: str
    source: tuple[str, ...]
    written: tuple[str, ...]
    by: Literal["step", "query"]
    """The part of the selection that says which of them is in view."""
    gold: list[tuple[int, int]]
    """The step and the source position."""
    measures: list[WireMeasure]
    headings: tuple[str, str]
    """The headings of the two columns of agreement; empty if nothing is known of it."""
