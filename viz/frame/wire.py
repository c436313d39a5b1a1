"""The messages to the frame's components in the browser, by name."""

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
    """A source as the model reads it, with the places of its unknown words and its copied words."""

    text: str
    unknown: list[tuple[int, int]]
    carried: list[tuple[int, int]]
    pieces: NotRequired[bool]
    """Whether the model reads parts of words, so that unfinished words are read too."""


class WirePages(TypedDict):
    """The pages by URL and title, the URL of the one in view, and whether keys turn them."""

    pages: list[tuple[str, str]]
    current: str
    turns: bool


class WireReach(TypedDict):
    """Who can open the pages of this server; `number` is its IP address in the network."""

    local: bool
    number: str | None


class WireCode(TypedDict):
    """A text as a QR code: the number of modules per side, and the dark modules as an SVG path."""

    text: str
    size: int
    path: str
    most: int


class WireDeck(TypedDict):
    """The data that turn a view into a slide and a slide into an address."""

    pages: list[tuple[str, str]]
    models: dict[str, str]
    first: str
    base: str
    inputs: dict[str, str]


class WireSlides(WireDeck):
    """The data of a lecture."""

    reach: WireReach
    code: WireCode | None


class WireDial(TypedDict):
    """A dial: the name of its element on the page, and the changes of each of its values."""

    place: str
    changes: list[list[WireIntervention]]


class WireDials(TypedDict):
    """Dials in one group."""

    dials: list[WireDial]


class WireStretch(TypedDict):
    """Words of two merged texts: the same in both, new or gone."""

    fate: str
    text: str


class WireChange(TypedDict):
    """One change of the run in view, in words."""

    text: str
    on: bool
    applies: bool
    """Whether it has a meaning in this run."""
    made: list[WireIntervention]
    """The interventions in this run while it is on."""


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
    """The effect of the changes, in words."""
    numbers: list[tuple[str, str, str]]
    """Names of output measures, with their values before the changes and now."""
    undo: list[WireIntervention] | None
    redo: list[WireIntervention] | None
    """The interventions in force after an undo or a redo; None if it is not possible."""


class WireSaving(TypedDict):
    """The files that can be saved of the run in view, and the answer to the latest request."""

    provenance: dict[str, Any]
    offline: int | None
    """Approximate bytes of its offline page; None if that would be too large."""
    number: int
    """Number of the request that this message answers; 0 for none."""
    failed: str
    """The reason why there is no file; empty if there is one."""
