"""Data about the heads of a run, as the browser gets them."""

from typing import Any, NotRequired, TypedDict

from viz.heads.wire import WireMeasures
from viz.run.axes import AttentionKind
from viz.run.wire import WireChoice, WireRun


class WireSwitch(TypedDict):
    """The head that is to be switched off, or on again."""

    kind: AttentionKind
    layer: int
    head: int


class WireScaling(TypedDict):
    """One row before its scores are divided, and all rows of the run by the divisor."""

    reader: str
    tokens: list[str]
    """Of the keys that it may read."""
    products: list[float]
    divisors: list[float]
    saturated: list[float]
    entropy: list[float]
    gradient: list[float]
    rows: int
    variance: float
    """The variance of the head's dot products."""
    d_k: int
    """Their variance, if the numbers of queries and keys were random."""
    usual: float
    """The root of d_k."""
    divisor: float
    """In force in the run in view."""


class WireHeads(TypedDict):
    """All heads of a run, and which of them are off."""

    run: str
    off: list[str]
    """By "kind layer head"."""
    damage: dict[str, float]
    """By the same: nats that a token of the text costs more without it."""
    fixed: NotRequired[bool]
    """Whether none can be switched off."""


class WireStandalone(TypedDict):
    """A run on a standalone page, without its arrays."""

    run: WireRun
    measures: WireMeasures
    choice: WireChoice
    said: dict[str, Any]
    """Where it comes from."""
