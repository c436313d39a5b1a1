"""The messages about a run and the selection, by name.

Matrices travel beside them, as Arrow tables.
"""

from typing import Literal, NotRequired, TypedDict

from viz.run.axes import AttentionKind, AxisText


class WireStack(TypedDict):
    """All heads of one kind of attention."""

    name: str
    layers: int
    heads: int
    rows: int
    columns: int
    queries: AxisText
    keys: AxisText
    drawn: list[int]
    offset: int
    numbers: NotRequired[list[int]]
    """Numbers of its layers, if some are left out."""
    first: NotRequired[int]
    """Index of its first row, if earlier ones are left out."""
    reads: NotRequired[bool]
    """Whether a row is named after the token that it reads; given if earlier rows are left out."""


class WireArray(TypedDict):
    """One tensor among the numbers of a parcel: heads, rows and columns."""

    at: int
    """Index of its first number."""
    shape: tuple[int, int, int]


class WireAttention(TypedDict):
    """Facts about one attention that are not tensors."""

    scale: float
    softcap: float | None
    keyHeads: int
    """Number of heads of keys and values; the query heads share them evenly."""
    sinks: bool
    """Whether a row may leave some of its weight unread."""
    reads: tuple[str, str]
    """Names of the tensors from which queries, and keys and values, are projected."""


class WireTensors(TypedDict):
    """Tensors of a run by path; their numbers travel beside them.

    `path[h]` is head h alone. Parameters have the paths of their modules.
    """

    arrays: dict[str, WireArray]
    attentions: dict[str, WireAttention]
    touched: list[str]
    """Names of the tensors that a change affects."""
    fill: str
    """The score of a masked cell, as JavaScript reads a number."""
    tolerance: float
    """Largest relative difference at which a number agrees with its recomputation."""


class WireCandidate(TypedDict):
    """A candidate for the next token."""

    id: int
    token: str
    isStandIn: bool
    """Whether it is a stand-in for copied words that copies no word of this text."""
    probability: float


class WireWritten(TypedDict):
    """One step: the written token, and the most probable ones."""

    id: int
    probability: float
    candidates: list[WireCandidate]
    """The most probable first; the written token is always among them."""


class WireTold(TypedDict):
    """The texts of a run, and the probability of each token."""

    text: str
    """The source as typed."""
    sentence: str
    """The written text, for people."""
    given: bool
    """Whether the target was given, rather than decoded."""
    unknown: list[str]
    """Words of the source that the model does not know, as typed."""
    steps: list[WireWritten]
    """One for each row of the decoder, or for each token of a model without one."""


class WireRun(TypedDict):
    """A run, without its weights."""

    run: str
    kinds: dict[AttentionKind, WireStack]
    tokens: dict[Literal["source", "target"], tuple[str, ...]]
    languages: tuple[str, str]
    axes: dict[AttentionKind, tuple[str, str]]
    gold: list[tuple[int, int]] | None
    tensors: WireTensors | None
    """None if the tensors of the run are sent one head at a time."""
    told: NotRequired[WireTold | None]
    """None while an open question asks for it."""
    prompt: NotRequired[int]
    """Tokens of the prompt that the model continued by itself: they are shown first, and alone."""


class WireCover(TypedDict):
    """The parts of a run that an open question hides; see viz/run/redaction.py."""

    by_readers: bool
    """Whether a decoder row is named after the token that it reads, for a question about rows."""
    rows: dict[AttentionKind, tuple[int, ...]]
    """Rows without weights, by the kind of attention; empty for all of them."""
    words: tuple[int, ...]
    """Positions of the hidden words in the target."""
    tensors: list[str]
    """Prefixes of the names of the hidden tensors."""
    told: bool
    """Whether the texts and the probabilities are hidden."""


class WireIntervention(TypedDict):
    """One change of the model; see model/interventions/kinds.py."""

    kind: str
    name: str
    head: int | None
    rows: tuple[int, ...] | None
    columns: tuple[int, ...] | None
    amount: float
    values: tuple[float, ...]
    origin: str
    origin_rows: tuple[int, ...] | None
    origin_head: int | None


class WireModel(TypedDict):
    """A model that the browser runs itself."""

    key: str
    """Name of the model, which its files share."""
    address: str
    """Address of its weights; with `.json` added, that of the checkpoint's description."""
    in_parts: NotRequired[bool]
    """Whether the weights are at `.0`, `.1` and so on instead, and the JSON lists these parts."""
    tokenizers: NotRequired[str]
    """Address of the module that reads third-party tokenizers, if the model has one."""


class WireInputs(TypedDict):
    """The inputs of a run, with which the browser can run it again."""

    run: str
    model: WireModel
    text: str
    """The source as typed."""
    source: tuple[int, ...]
    written: tuple[int, ...]
    """Ids after the decoder's first one."""
    given: bool
    """Whether these ids were given, rather than decoded."""
    longest: int
    """The largest number of tokens to write."""
    interventions: list[WireIntervention]


class WireHead(TypedDict):
    """One head whose weights are sent at full size."""

    run: str
    kind: AttentionKind
    layer: int
    head: int


class WireHeadTensors(WireHead):
    """One head whose tensors are sent."""

    tensors: WireTensors


class WireSelection(TypedDict):
    """The cell and the step in view."""

    run: str
    kind: AttentionKind
    layer: int
    head: int
    query: int
    key: int
    step: int


class WireChosen(TypedDict):
    """A choice sent by the browser; before the browser has a run, it may name only a page."""

    number: int
    run: NotRequired[str]
    kind: NotRequired[AttentionKind]
    layer: NotRequired[int]
    head: NotRequired[int]
    query: NotRequired[int]
    key: NotRequired[int]
    step: NotRequired[int]
    tensor: NotRequired[str]
    page: NotRequired[str]
    adrift: NotRequired[bool]


class WireChoice(TypedDict):
    """The latest choice that Python knows."""

    selection: WireSelection
    number: int
    page: str
