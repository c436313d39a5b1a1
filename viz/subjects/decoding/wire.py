"""A decoding in the form that the browser receives."""

from typing import TypedDict

from viz.run.wire import WireModel
from viz.subjects.decoding.strategy import Mode


class WireTaken(TypedDict):
    """A clicked candidate, and its step."""

    step: int
    token: int


class WireRest(TypedDict):
    """The step at which the player rests, and the shaping of its probabilities."""

    step: int
    shaping: str


class WireDraw(WireRest):
    """A request for a sample."""

    seed: int


class WireRanking(TypedDict):
    """The number of tokens, how many of each step are sent, and the ranks of the written ones."""

    size: int
    sent: int
    ranks: tuple[int, ...]
    temperatures: tuple[float, ...]


class WirePath(WireRanking):
    """A path, step by step."""

    key: str
    mode: Mode
    given: bool
    isRun: bool
    source: tuple[str, ...]
    vocabulary: dict[str, str]
    copies: list[str]
    """Tokens for copied words, except those used in this text."""
    smoothing: float
    """The label smoothing: the probability that training asked for on all other tokens."""
    begin: str
    ids: tuple[int, ...]
    length: int
    prompt: int
    """The number of steps whose token is of the prompt."""
    finished: bool
    forced: list[bool]
    logs: list[float]
    layers: int
    heads: int


class WirePlayer(TypedDict):
    """Which path is played, from which step, and how it is shown."""

    path: str
    languages: tuple[str, str]
    mode: Mode
    at: int
    shaping: list[float]
    """Temperature, top-k and top-p."""
    drawn: list[float]
    """The same for the played sample, then its seed."""
    temperatures: list[float]
    lastSeed: int


class WireTyped(TypedDict):
    """The run whose path Python sent, and the model that writes others while the reader types."""

    run: str
    model: WireModel


class WireBranch(TypedDict):
    """The tokens that a path writes after its prompt."""

    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    logs: list[float]
    """The log-probability of each token."""
    prompt: int
    """The number of tokens before the first written one."""
    forks: list[int]
    """The indices of the tokens that replaced the model's choice."""
    finished: bool


class WireBranches(TypedDict):
    """The model's choice, and the branch that is played beside it if there is one."""

    mode: Mode
    branches: list[WireBranch]


class WireTree(TypedDict):
    """The hypotheses of a search, a list for each field."""

    id: list[int]
    parent: list[int | None]
    token: tuple[str, ...]
    index: list[int]
    logProbability: list[float]
    total: list[float]
    score: list[float]
    kept: list[bool]
    finished: list[bool]
    best: int
    steps: int


class WireLens(TypedDict):
    """The prediction of each depth: [depth][step]."""

    path: str
    names: tuple[str, ...]
    written: tuple[str, ...]
    tops: list[list[tuple[str, ...]]]
    shares: list[list[list[float]]]
    ranks: list[list[int]]
    probabilities: list[list[float]]
