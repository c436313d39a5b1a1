"""The data about a run that a reader changes by hand, in the form that the browser receives."""

from typing import Any, Literal, TypedDict

from viz.run.wire import WireIntervention


class WireHandDid(TypedDict):
    """Changes made by hand, or a request to undo them; `read_asked` reads them."""

    do: Literal["add", "undo"]
    interventions: list[Any]
    number: int


class WirePull(TypedDict):
    """A pull that is worth a try: the row, the key that it reads most, another key."""

    row: int
    held: int
    to: int


class WireHand(TypedDict):
    """Facts about two runs that the browser has."""

    run: str
    before: str
    """The same run without changes."""
    isPrompted: bool
    """Whether the text begins with a prompt that the model continued."""
    interventions: list[WireIntervention]
    pull: WirePull | None
    number: int
    """The number of the last change that Python knows of."""
