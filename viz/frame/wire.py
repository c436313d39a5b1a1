"""What is sent for the sentence bar, by name."""

from typing import Any, Literal, NotRequired, TypedDict

from viz.run.wire import WireIntervention


class WireVocabulary(TypedDict):
    """The words that a model knows, the most frequent first, and the part of speech of each."""

    words: list[str]
    parts: list[int]
    names: list[str]
    whole: bool
    carries: bool


class WireJudged(TypedDict):
    """A source that was read, and where it has unknown words and some that are carried over."""

    text: str
    unknown: list[tuple[int, int]]
    carried: list[tuple[int, int]]
    pieces: NotRequired[bool]
    """Whether the model reads parts of words, so that a word is read before it ends."""


class WirePages(TypedDict):
    """The pages by URL and title, the URL of the one in view, and whether keys turn them."""

    pages: list[tuple[str, str]]
    current: str
    turns: bool


class WireReach(TypedDict):
    """Who can open the pages of this server: `number` is this machine's in its network."""

    local: bool
    number: str | None


class WireCode(TypedDict):
    """A text as a QR code: its modules along a side, and the dark ones as the path of an SVG."""

    text: str
    size: int
    path: str
    most: int


class WireDeck(TypedDict):
    """What turns a view into a slide and a slide into an address."""

    pages: list[tuple[str, str]]
    models: dict[str, str]
    first: str
    base: str
    inputs: dict[str, str]


class WireSlides(WireDeck):
    """What a lecture is given with."""

    reach: WireReach
    code: WireCode | None


class WireDial(TypedDict):
    """A dial: its element on the page, and what is changed at each place of it."""

    place: str
    changes: list[list[WireIntervention]]


class WireDials(TypedDict):
    """Dials that stand together."""

    dials: list[WireDial]


class WireStretch(TypedDict):
    """Words of two texts that are written over one another: the same, gone or new."""

    fate: str
    text: str


class WireChange(TypedDict):
    """One change of the run in view, in words."""

    text: str
    on: bool
    applies: bool
    """Whether it means anything in this run."""
    made: list[WireIntervention]
    """What is done in this run while it is on."""


class WireAct(TypedDict):
    """A person's request in the bar of changes."""

    do: Literal["undo", "redo", "clear", "switch", "remove"]
    index: NotRequired[int]
    """The place of the change to switch or to remove."""


class WireChanges(TypedDict):
    """All changes of the run in view, and their effect on its output."""

    run: str
    before: str
    """The keys of the run in view and of the same run without changes."""
    changes: list[WireChange]
    stretches: list[WireStretch]
    said: str
    """Their effect, in words."""
    numbers: list[tuple[str, str, str]]
    """Names of numbers of the output, and what they were before and are now."""
    undo: list[WireIntervention] | None
    redo: list[WireIntervention] | None
    """What will be in force then; None where there is no way there."""


class WireSaving(TypedDict):
    """What can be saved of the run in view, and the answer to what was asked for last."""

    provenance: dict[str, Any]
    offline: int | None
    """Bytes that a page of it takes, about; None where it is too large for one."""
    number: int
    """Of the question that is answered here; 0 of none."""
    failed: str
    """Why there is no file."""
