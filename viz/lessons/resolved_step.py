"""A step of a lesson, resolved on a run: its link, options, hidden parts and right answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from model.checkpoints.checkpoint import Checkpoint
from model.interventions.kinds import Intervention
from viz.lessons.lesson import AnswerKind, Cover, Page, Step
from viz.run.axes import AttentionKind
from viz.run.record import Run

Surface = Literal["key", "row", "head", "chip", "number", "order"]
"""What the reader clicks: a column of the row in question (a token that is read), a row of the
decoder (a token of the target that reads, `<s>` first), a thumbnail, or a chip. A number is typed;
for an order, the reader clicks each option, the first one first."""


@dataclass(frozen=True)
class Option:
    """One option to click."""

    name: str
    """Its name in a guess: the number of a column or row, "1.3" for a head, the name of a chip, the
    letter of a picture in an order."""
    shown: str
    """The token, "L1 H3", the letter, or the name of a chip, whose text is `judge.chip_text`."""
    value: float | None = None
    """Its weight in the run, for the reply after the answer. The page must not get it before."""
    called: str = ""
    """Its key in the replies to wrong answers: the token, or the name of a chip."""
    checkpoint: str = ""
    """The checkpoint of its picture, in an order."""


@dataclass(frozen=True)
class Place:
    """A place in the run, by number."""

    kind: AttentionKind
    layer: int | None
    head: int | None
    """Layer and head are both None if no head is in view."""
    query: int | None
    """The row in question; None if no row is named."""


@dataclass(frozen=True)
class Covered:
    """One part hidden until the answer, by number."""

    what: Cover
    kind: AttentionKind | None = None
    layer: int | None = None
    head: int | None = None
    """None for all heads of the kind."""
    rows: tuple[int, ...] = ()
    """The row in question for "row", whose weights are hidden in every head; empty for all rows."""
    tokens: tuple[int, ...] = ()
    """Positions in the target (`<s>` is 0) whose words are hidden: for "words" and "translation",
    and for "labels" of the decoder's rows."""


@dataclass(frozen=True)
class Sharpness:
    """The effect of edits on all rows of a kind of attention, and on the text."""

    before: float
    """Share of the rows that give one token nearly all of their weight, without the edits."""
    after: float
    learns_before: float
    """Mean change of the weights with their scores, without the edits; training needs it."""
    learns_after: float
    same_text: bool


@dataclass(frozen=True)
class Truth:
    """The right answer from the run. The page must not get it before the reader answers."""

    name: str
    """Name of the right option, number as text, or names of an order separated by spaces."""
    value: float | None = None
    """The number behind it: a weight, a probability or a count."""
    sharpness: Sharpness | None = None
    """Set if the question is about the entropy or the gradient of a kind."""
    before: float | None = None
    """The number without the edits, for a choice that compares it with `value`."""
    texts: tuple[str, ...] = ()
    """The translations of two compared sources, or the token that each depth would write."""


@dataclass(frozen=True)
class Resolved:
    """One step, resolved on its run."""

    step: Step
    page: Page
    query: Mapping[str, str]
    """Parameters of the live page's link, by name; they do not contain the answer."""
    place: Place | None
    surface: Surface | None
    """None if the step asks nothing."""
    options: tuple[Option, ...]
    covered: tuple[Covered, ...]
    truth: Truth | None
    """None if the step asks nothing."""
    simple: str | None
    """The guess of the simplest rule, to read from left to right; None if the rule gives none."""
    tokens: tuple[str, ...] = ()
    """Tokens of the target, `<s>` first; the page hides those that `covered` lists."""

    @property
    def kind(self) -> AnswerKind | None:
        """The kind of answer that the step asks for."""
        return self.step.answer.kind if self.step.answer else None


class Runs(Protocol):
    """Source of the checkpoints and runs that a lesson names.

    Both methods raise ValueError, in words for people, if something is missing. The app passes
    those that all sessions share.
    """

    def checkpoint(self, name: str) -> Checkpoint:
        """Return a checkpoint by its name."""
        ...

    def run(
        self, name: str, source: str, target: str, interventions: tuple[Intervention, ...]
    ) -> Run:
        """Run a checkpoint; an empty target lets the model write."""
        ...
