"""The sentences of Start and the place of the reader, by the names under which they are sent.

The browser finds the question, and makes its picture, from the runs of the sentences.
"""

from typing import Literal, TypedDict

from viz.run.wire import WireInputs

Scene = Literal["guess", "query", "scores", "softmax", "mix", "answer"]


class WireMove(TypedDict):
    """The reader's place in the picture: the stage, the guess, the word asked about, the sentence.

    Below 0 there is no guess, and the word is the usual one.
    """

    scene: Scene
    guess: int
    word: int
    source: str
    layer: int
    """Layer of the row in view."""
    head: int
    query: int
    number: int


class WireHeadAsked(TypedDict):
    """A head, some of whose numbers the browser asks Python for."""

    run: str
    """Key of the run in view."""
    layer: int
    head: int


class WireMeaning(TypedDict):
    """What "it" means; see viz/heads/coreference.py."""

    it: int
    candidates: tuple[int, int]
    """Positions of the two nouns that it could be."""
    right: int
    pronoun: str
    adjective: int


class WireStrongest(TypedDict):
    """The strongest key of each row and its share, each list as float32 in base64."""

    read: tuple[str, str]
    """For each layer, head and row of the encoder."""
    written: tuple[str, str]
    """For each step, in the mean over the heads of the last layer of cross-attention."""


class WireWithout(TypedDict):
    """The probability of each token of the translation, with one head switched off."""

    layer: int
    head: int
    probabilities: tuple[float, ...]


class WireReading(TypedDict):
    """One sentence: facts that its run in the browser lacks."""

    run: str
    source: str
    meaning: WireMeaning | None
    """What "it" means, if the data know."""
    classes: list[str]
    """Parts of speech of its tokens, empty if unknown."""
    finished: bool
    """Whether the model itself ended its text."""
    inputs: WireInputs | None
    """The texts and changes of the run; None if the browser cannot run the model."""
    strongest: WireStrongest | None
    """None unless the weights of the run are sent reduced."""
    without: WireWithout | None
    """None until the browser has asked for a head."""


class WireStart(TypedDict):
    """The sentences of Start, and the place of the reader."""

    readings: list[WireReading]
    current: int
    scene: Scene
    guess: int
    """Position of the word that was guessed; -1 of none."""
    word: int
    """Position of the word that was chosen to be asked about; -1 of none."""
    number: int
