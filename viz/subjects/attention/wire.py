"""What is sent of one cell, by name.

A number is text where it may be infinite or none; a vector is float32 in base64.
"""

from typing import Any, NotRequired, TypedDict

from viz.run.record import AttentionKind
from viz.run.wire import WireChoice, WireMeasures, WireRun


class WireSwitch(TypedDict):
    """The head that is to be switched off, or on again."""

    kind: AttentionKind
    layer: int
    head: int


class WireSide(TypedDict):
    """The query or the key."""

    position: int
    token: str


class WireScore(TypedDict):
    """The products of query and key, by magnitude, and what becomes of their sum."""

    dimensions: list[int]
    q: str
    k: str
    products: str
    shown: int
    more: str
    dot: str
    scaled: str
    edited: bool
    allowed: bool
    masked: str
    fill: str
    scale: NotRequired[str]
    """Where it is not 1 / sqrt(d_k)."""
    bias: NotRequired[str]
    softcap: NotRequired[str]
    """What scaled products are bent to stay within, where they are."""


class WireRow(TypedDict):
    """The strongest keys of the row."""

    size: int
    keys: list[int]
    tokens: list[str]
    hidden: list[int]
    scores: str
    exponentials: str
    weights: str
    shown: int
    more: str
    others: str
    largest: str
    denominator: str
    open: int
    """Keys that the query may read."""
    left: NotRequired[str]
    """Share that reads nothing."""


class WireMix(TypedDict):
    """What the key brings to the mix of the row."""

    v: str
    weighted: str
    mix: str
    share: str


class WireOutput(TypedDict):
    """What the head writes, and all heads together."""

    own: str
    output: str
    norms: str
    bias: str
    together: str


class WireShared(TypedDict):
    """Whose keys and values a head reads, and which heads read the same."""

    head: int
    readers: list[int]


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


class WireCell(TypedDict):
    """One cell with its arithmetic."""

    name: str
    head: int
    query: WireSide
    key: WireSide
    weight: str
    rank: int
    lines: str
    changed: list[str]
    """Names of the lines that a person changed."""
    tolerance: str
    score: WireScore
    row: WireRow
    mix: WireMix
    output: NotRequired[WireOutput]
    """Left out of a model that gives no parameters: what each head writes is not known."""
    shared: NotRequired[WireShared]
    turned: NotRequired[bool]
    """Whether rotary positions turned the query and the key by their places."""
    reads: NotRequired[bool]
    """Whether a decoder's row is named after the token that reads."""
    made: NotRequired[dict[str, str | int]]
    """What of the selection it was made for."""
    commits: NotRequired[bool]
    """Whether another cell of the same head goes by the card."""


class WireOldArray(TypedDict):
    """An array among others."""

    at: int
    """Of its first number."""
    shape: list[int]


class WireOldAttention(TypedDict):
    """What some heads of one attention computed, and what they write through."""

    kind: AttentionKind
    layer: int
    name: str
    heads: list[int]
    keyHeads: list[int]
    """Of each head of the layer, whose keys and values it reads."""
    read: list[int]
    """Of which of these keys and values are here."""
    scale: float
    softcap: float | None
    edited: bool
    changed: list[str]
    sinks: bool
    query: WireOldArray
    key: WireOldArray
    value: WireOldArray
    scores: WireOldArray
    weights: WireOldArray
    mask: WireOldArray
    mixes: WireOldArray
    """Of all heads of the layer."""
    output: WireOldArray
    projection: WireOldArray | None
    """None of a model that gives no parameters."""
    bias: WireOldArray | None
    added: WireOldArray | None
    """To the scores, for the distance."""


class WireCells(TypedDict):
    """What the cells of a page of its own are computed from."""

    attentions: list[WireOldAttention]
    numbers: str
    """Of all arrays: float32, deflated, in base64."""
    fill: str
    """What stands in place of a masked score."""
    tolerance: float


class WireStandalone(TypedDict):
    """A run on a page of its own."""

    run: WireRun
    codes: str
    """Of all heads, deflated, in base64."""
    measures: WireMeasures
    choice: WireChoice
    cells: WireCells | None
    said: dict[str, Any]
    """Where it comes from."""
