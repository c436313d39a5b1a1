"""The sentences of Start and the place of the reader, in the form that the browser receives.

The browser finds the question and draws its picture from the runs of the sentences.
"""

from typing import Literal, TypedDict

from viz.run.wire import WireInputs

Scene = Literal["guess", "query", "scores", "softmax", "mix", "answer"]


class WireMove(TypedDict):
    """The reader's place in the picture: the stage, the guess, the word asked about, the sentence.

    A negative number means that there is no guess, or that the word is the usual one.
    """

    scene: Scene
    guess: int
    word: int
    source: str
    layer: int
    """The layer of the row in view."""
    head: int
    query: int
    number: int


class WireHeadAsked(TypedDict):
    """A head for which the browser needs numbers from Python."""

    run: str
    """The key of the run in view."""
    layer: int
    head: int


class WireMeaning(TypedDict):
    """The referent of "it"; see viz/heads/coreference.py."""

    it: int
    candidates: tuple[int, int]
    """The positions of the two nouns that "it" could refer to."""
    right: int
    pronoun: str
    adjective: int


class WireStrongest(TypedDict):
    """The strongest key of each row and its share, each list as float32 in base64."""

    read: tuple[str, str]
    """One for each layer, head and row of the encoder."""
    written: tuple[str, str]
    """One for each step, from the mean over the heads of the last cross-attention."""


class WireWithout(TypedDict):
    """The probability of each token of the translation, with one head switched off."""

    layer: int
    head: int
    probabilities: tuple[float, ...]


class WireReading(TypedDict):
    """The facts about one sentence that its run in the browser lacks."""

    run: str
    source: str
    meaning: WireMeaning | None
    """The referent of "it", if the data know it."""
    classes: list[str]
    """The parts of speech of its tokens; empty if unknown."""
    finished: bool
    """Whether the model ended its text itself."""
    inputs: WireInputs | None
    """The texts and changes of the run; None if the browser cannot run the model."""
    strongest: WireStrongest | None
    """None unless the weights of the run are sent reduced."""
    without: WireWithout | None
    """None until the browser has asked about a head."""


class WireStart(TypedDict):
    """The sentences of Start, and the place of the reader."""

    readings: list[WireReading]
    current: int
    scene: Scene
    guess: int
    """The position of the guessed word; -1 without a guess."""
    word: int
    """The position of the word that the reader asked about; -1 without one."""
    number: int
