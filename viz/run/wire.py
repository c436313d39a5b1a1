"""What is sent of a run and of the selection, by name.

Matrices travel beside it, as tables of Arrow.
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
    """Number of its first row, if earlier ones are left out."""
    reads: NotRequired[bool]
    """Whether a row is named after the token that it reads, said if earlier ones are left out."""


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
    """How many heads of keys and values it has; its query heads share them evenly."""
    sinks: bool
    """Whether a row may leave some of its weight unread."""
    reads: tuple[str, str]
    """Names of the tensors that its queries, and its keys and values, are projected from."""


class WireTensors(TypedDict):
    """Tensors of a run by path, whose numbers travel beside them.

    `path[h]` is head h alone. Parameters have the paths of their modules.
    """

    arrays: dict[str, WireArray]
    attentions: dict[str, WireAttention]
    touched: list[str]
    """Names of the tensors that a change concerns."""
    fill: str
    """The score that a masked cell gets, as JavaScript reads a number."""
    tolerance: float
    """Largest relative difference between a number and its recomputation that agrees."""


class WireCandidate(TypedDict):
    """A token that could be written."""

    id: int
    token: str
    isStandIn: bool
    """Whether it is a placeholder for copied words that copies no word of this text."""
    probability: float


class WireWritten(TypedDict):
    """One step: the written token, and the most probable ones."""

    id: int
    probability: float
    candidates: list[WireCandidate]
    """The most probable first; the written token is always among them."""


class WireTold(TypedDict):
    """The texts of a run, and how likely each of its tokens is."""

    text: str
    """As typed."""
    sentence: str
    """The written text, for people."""
    given: bool
    """Whether the target was given, rather than decoded."""
    unknown: list[str]
    """The words of the source that the model does not know, as they were typed."""
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
    """None of a run whose tensors are sent a head at a time."""
    told: NotRequired[WireTold | None]
    """None while a question is open that it would answer."""
    prompt: NotRequired[int]
    """Tokens that the model went on from by itself: they are shown first, and alone."""


class WireCover(TypedDict):
    """The parts of a run that an open question hides; see viz/run/redaction.py."""

    by_readers: bool
    """Whether the decoder's rows are named after the token that reads, which is asked for."""
    rows: dict[AttentionKind, tuple[int, ...]]
    """Rows without weights, by the kind of attention; empty for all of them."""
    words: tuple[int, ...]
    """Positions in the target."""
    tensors: list[str]
    """How the names of the hidden tensors begin."""
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
    """Names its files."""
    address: str
    """Of its weights; behind it with `.json` stands what the checkpoint says of them."""
    in_parts: NotRequired[bool]
    """Whether the weights are at `.0`, `.1` and so on instead, and the JSON lists these parts."""


class WireInputs(TypedDict):
    """What a run was made of, for the browser to run it once more."""

    run: str
    model: WireModel
    text: str
    """The source as typed."""
    source: tuple[int, ...]
    written: tuple[int, ...]
    """Ids after the one that the decoder begins with."""
    given: bool
    """Whether these were given, rather than decoded."""
    longest: int
    """Tokens that are written at most."""
    interventions: list[WireIntervention]


class WireHead(TypedDict):
    """One head whose weights are sent whole."""

    run: str
    kind: AttentionKind
    layer: int
    head: int


class WireHeadTensors(WireHead):
    """One head whose tensors are sent."""

    tensors: WireTensors


class WireSelection(TypedDict):
    """The one cell and step in view."""

    run: str
    kind: AttentionKind
    layer: int
    head: int
    query: int
    key: int
    step: int


class WireChosen(TypedDict):
    """A choice as the browser sends it; before it has a run, it may name a page alone."""

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
    """What Python last knew to be chosen."""

    selection: WireSelection
    number: int
    page: str
