"""What is sent of a step of a lesson, by name."""

from typing import Literal, TypedDict


class WirePicture(TypedDict):
    """A small map: weights row after row, in hundredths."""

    rows: int
    columns: int
    weights: list[int]


class WireOption(TypedDict):
    """One thing that may be clicked; its weight only once the question was answered."""

    name: str
    text: str
    weight: float | None
    picture: WirePicture | None
    """What is to be told apart, where that is pictures."""


class WireVerdict(TypedDict):
    """What is said after an answer."""

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
    """The sentence, where it is no choice itself."""
    written: str
    """What was written before what is asked."""
    following: str
    """The word after those: a question mark while it is asked about; empty where none is."""
    surface: Literal["key", "row", "head", "chip", "number", "order"] | None
    options: list[WireOption]
    about: dict[str, str | int]
    """Kind, layer, head and row of the selection that are asked about."""
    hints: list[str]
    """Those that were shown."""
    more: bool
    """Whether there is another hint."""
    out: list[str]
    """Options that a hint has ruled out."""
    verdict: WireVerdict | None
    last: bool
    """Whether the lesson ends here."""
    there: bool
    """Whether the run in view is what the step is about."""
    small: bool
    """Whether of the page only the picture that is asked about is shown."""
    told: bool
    """Whether, beside the answer, only what proves it is shown."""
    opens: str
    """The part of the page that is shown alone; empty for all of it."""
    hides: bool
    """Whether anything of the run is covered."""
    presenting: bool
    next: str
    """Title of the lesson after it, where one is."""
