"""A training that plays, in the form that the browser receives.

The weights of its heads travel beside it, as a table of Arrow.
"""

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class WireHeadOfLapse(TypedDict):
    """The head chosen in the picture."""

    layer: int
    head: int


class WireLosses(TypedDict):
    """The loss and the learning rate of single steps."""

    steps: Sequence[int]
    values: Sequence[float]
    rates: Sequence[float]


class WireScores(TypedDict):
    """The share of rows in which one head attended most to the gold token, at each snapshot."""

    layer: int
    head: int
    values: list[float]


class WireLapse(TypedDict):
    """A training at its snapshots, and the head in view."""

    steps: list[int]
    total: int
    written: list[str]
    right: list[bool]
    loss: WireLosses
    heldOut: list[float]
    exact: list[float]
    alignment: list[WireScores]
    chance: float | None
    kind: str
    name: str
    layers: int
    heads: int
    rowTokens: Sequence[str]
    columnTokens: Sequence[str]
    rowTitle: str
    columnTitle: str
    layer: NotRequired[int]
    head: NotRequired[int]
    at: NotRequired[int | None]
    follow: NotRequired[bool]
