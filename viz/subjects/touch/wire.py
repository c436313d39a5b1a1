"""What is sent of the run that a hand changes."""

from typing import Any, Literal, TypedDict

from viz.run.wire import WireIntervention


class WireHandDid(TypedDict):
    """Changes made by hand, or the wish to undo them; `read_asked` reads them."""

    do: Literal["add", "undo"]
    interventions: list[Any]
    number: int


class WireLikely(TypedDict):
    """The likeliest tokens of one step of PyTorch's run, with their logits."""

    ids: list[int]
    logits: list[float]


class WirePull(TypedDict):
    """A pull that is worth a try: the row, the key that it reads most, another one."""

    row: int
    held: int
    to: int


class WireHand(TypedDict):
    """A run as it was, what is changed of it, and what PyTorch made of that."""

    run: str
    before: str
    model: str
    """Name of the weights; empty where the browser has none."""
    source: tuple[int, ...]
    sourceTokens: tuple[str, ...]
    """None where no encoder reads a source."""
    begin: str
    """The token that the decoder begins with; empty without one."""
    prompt: int
    """Steps whose token is of a prompt."""
    tokens: tuple[str, ...]
    """Names of what was written; of a model that only reads, of what it would put at each place."""
    tokensBefore: tuple[str, ...]
    named: list[tuple[int, str]]
    """Ids that have other tokens in this sentence."""
    longest: int
    given: list[int]
    """Ids of a target that was given; none where the model writes."""
    interventions: list[WireIntervention]
    written: list[int]
    writtenBefore: list[int]
    probabilities: list[float]
    probabilitiesBefore: list[float]
    likely: list[WireLikely]
    """Of each step; none where no PyTorch has run it."""
    pull: WirePull | None
    number: int
    """Of the last change that Python knows of."""
