"""The messages about a step of a lesson, by name."""

from typing import Literal, TypedDict


class WirePicture(TypedDict):
    """A small map: its weights row by row, in hundredths."""

    rows: int
    columns: int
    weights: list[int]


class WireOption(TypedDict):
    """One option to click; it has its weight only after the answer."""

    name: str
    text: str
    weight: float | None
    picture: WirePicture | None
    """The picture to compare, if the options are pictures."""


class WireVerdict(TypedDict):
    """The reply to an answer."""

    guess: str
    helped: bool
    right: bool
    truth: str
    sentence: str
    wrong: str
    why: str


class WireLesson(TypedDict):
    """One step of a lesson."""

    lesson: str
    part: int
    parts: int
    language: str
    title: str
    prompt: str
    source: list[str]
    """The words of the sentence; empty if they are the options."""
    written: str
    """The written words before the word in question."""
    following: str
    """The next word: a placeholder while the question is open; empty if no word is hidden."""
    surface: Literal["key", "row", "head", "chip", "number", "order"] | None
    options: list[WireOption]
    about: dict[str, str | int]
    """Kind, layer, head and row of the selection in question."""
    hints: list[str]
    """The hints shown so far."""
    more: bool
    """Whether another hint is left."""
    out: list[str]
    """Options that a hint has ruled out."""
    verdict: WireVerdict | None
    last: bool
    """Whether this is the last step of the lesson."""
    there: bool
    """Whether the run in view is the one of the step."""
    small: bool
    """Whether the page shows only the picture in question."""
    told: bool
    """Whether the page shows only the proof of the answer."""
    opens: str
    """The part of the page that is shown alone; empty for the whole page."""
    hides: bool
    """Whether any part of the run is hidden."""
    presenting: bool
    next: str
    """Title of the next lesson; empty if there is none."""
