"""What is sent of one cell, by name; browser/wire.d.ts says the same to the browser.

A number is text where it may be infinite or none; a vector is float32 in base64.
"""

from typing import NotRequired, TypedDict

from viz.run.wire import WireChoice, WireMeasures, WireRun


class WireSide(TypedDict):
    """The query or the key."""

    position: int
    token: str
    words: str


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
    open: bool
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


class WireTurned(TypedDict):
    """The angles of rotary positions, a pair of dimensions each."""

    query: str
    key: str


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
    output: WireOutput
    shared: NotRequired[WireShared]
    turned: NotRequired[WireTurned]
    reads: NotRequired[bool]
    """Whether a decoder's row is named after the token that reads."""
    made: NotRequired[dict[str, str | int]]
    """What of the selection it was made for."""
    commits: NotRequired[bool]
    """Whether another cell of the same head goes by the card."""


class WireStandalone(TypedDict):
    """A run on a page of its own."""

    run: WireRun
    codes: str
    """Of all heads, deflated, in base64."""
    measures: WireMeasures
    choice: WireChoice
