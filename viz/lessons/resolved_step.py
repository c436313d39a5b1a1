"""A step of a lesson on a run: its link, what may be clicked, what is hidden, what is true."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from model.checkpoints.checkpoint import Checkpoint
from model.interventions.kinds import Intervention
from viz.lessons.lesson import AnswerKind, Cover, Page, Step
from viz.run.axes import AttentionKind
from viz.run.record import Run

Surface = Literal["key", "row", "head", "chip", "number", "order"]
"""What is clicked: a column of the asked row (a token that is read), a row of the decoder (a token
of the target, `<s>` first, that reads), a thumbnail, a chip; a number is typed; an order is a click
on each, the first one first."""


@dataclass(frozen=True)
class Option:
    """One thing that may be clicked."""

    name: str
    """Of the guess: a column or row by its number, a head as "1.3", a chip by its name, a picture
    of an order by its letter."""
    shown: str
    """The token, "L1 H3", the letter, or the name of a chip: `judge.chip_text` has its text."""
    value: float | None = None
    """What the run gives it, for the sentence after the commit: a weight. Not for the page before
    it."""
    called: str = ""
    """By what a text for a wrong answer calls it: the token, or the name of a chip."""
    checkpoint: str = ""
    """Of an order: whose picture it is."""


@dataclass(frozen=True)
class Place:
    """Where in the run it is, by number."""

    kind: AttentionKind
    layer: int | None
    head: int | None
    """Both None where no head is in view."""
    query: int | None
    """The asked row; None where no row is named."""


@dataclass(frozen=True)
class Covered:
    """One thing that is hidden until the commit, by number."""

    what: Cover
    kind: AttentionKind | None = None
    layer: int | None = None
    head: int | None = None
    """None of all heads of the kind."""
    rows: tuple[int, ...] = ()
    """For "row" the asked one, whose weights are hidden in every head; empty for all."""
    tokens: tuple[int, ...] = ()
    """Positions in the target, `<s>` is 0, whose words are hidden: for "words", "translation" and,
    where it is rows of the decoder, "labels"."""


@dataclass(frozen=True)
class Sharpness:
    """What edits did to all rows of a kind of attention, and to the text."""

    before: float
    """Share of its rows that give one token nearly all of the weight, without the edits."""
    after: float
    learns_before: float
    """How far its weights move with their scores, on average: what is learned by."""
    learns_after: float
    same_text: bool


@dataclass(frozen=True)
class Truth:
    """What the run says. For the sentence after the commit, not for the page before it."""

    name: str
    """Of the right option; of a number the number; of an order the names with spaces between."""
    value: float | None = None
    """The number that goes with it: a weight, a probability, a count."""
    sharpness: Sharpness | None = None
    """Where the entropy of a kind was asked about."""
    before: float | None = None
    """Where a choice says how a number changed: what `value` is without the edits."""
    texts: tuple[str, ...] = ()
    """What two compared sources are translated to; or what each depth would write."""


@dataclass(frozen=True)
class Resolved:
    """One step on its run."""

    step: Step
    page: Page
    query: Mapping[str, str]
    """Of the link of the live page, by name; no answer is in it."""
    place: Place | None
    surface: Surface | None
    """None where nothing is asked."""
    options: tuple[Option, ...]
    covered: tuple[Covered, ...]
    truth: Truth | None
    """None where nothing is asked."""
    simple: str | None
    """What the simplest rule guesses, reading from left to right; None where it says nothing."""
    tokens: tuple[str, ...] = ()
    """Of the target, `<s>` first; the page hides what `covered` says of them."""

    @property
    def kind(self) -> AnswerKind | None:
        """What kind of answer is asked for."""
        return self.step.answer.kind if self.step.answer else None


class Runs(Protocol):
    """Gives what a lesson names. Both raise ValueError, in words for people, on what is not there.

    A page gives those that the sessions share.
    """

    def checkpoint(self, name: str) -> Checkpoint:
        """Return a checkpoint by its name."""
        ...

    def run(
        self, name: str, source: str, target: str, interventions: tuple[Intervention, ...]
    ) -> Run:
        """Run a checkpoint; an empty target lets it write."""
        ...
