"""Data about the heads of a run, in the form that the browser receives."""

from typing import Any, NotRequired, TypedDict

from viz.heads.wire import WireMeasures
from viz.run.axes import AttentionKind
from viz.run.wire import WireChoice, WireRun


class WireSwitch(TypedDict):
    """The head to switch off, or on again."""

    kind: AttentionKind
    layer: int
    head: int


class WireScaling(TypedDict):
    """One row before its scores are divided, and all rows of the run by divisor."""

    reader: str
    tokens: list[str]
    """The dot products of the keys that the row may read."""
    products: list[float]
    divisors: list[float]
    saturated: list[float]
    entropy: list[float]
    gradient: list[float]
    rows: int
    variance: float
    """The variance of the head's dot products."""
    d_k: int
    """Their variance if the components of queries and keys were independent."""
    usual: float
    """The root of d_k."""
    divisor: float
    """The divisor of the run in view."""


class WireHeads(TypedDict):
    """All heads of a run, and which of them are off."""

    run: str
    off: list[str]
    """The heads that are off, as "kind layer head"."""
    damage: dict[str, float]
    """The rise of the loss per token without each head, in nats, by the same keys."""
    fixed: NotRequired[bool]
    """Whether no head can be switched off."""


class WireStandalone(TypedDict):
    """A run on a standalone page, without its arrays."""

    run: WireRun
    measures: WireMeasures
    choice: WireChoice
    said: dict[str, Any]
    """The origin of the data."""
