"""What an area of the fuzzing is: inputs of one sort, and what is held of each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from hypothesis.strategies import SearchStrategy

Verdict = Literal["accepted", "refused"]

AREAS = ("texts", "runs", "links", "requests", "sessions", "folders")
"""Modules of `qa.fuzz.areas`, each with a function `open_area`."""


class HeldError(AssertionError):
    """Something that is held of every input does not hold of this one; the message says what."""


def hold(is_so: object, says: str) -> None:
    """Raise HeldError where something is not so."""
    if not is_so:
        raise HeldError(says)


@dataclass(frozen=True)
class Area:
    """Inputs of one sort. They are plain values of Python, so that one can be typed again."""

    name: str
    inputs: SearchStrategy[Any]
    check: Callable[[Any], Verdict]
    """Gives an input to its reader. Raises whatever the reader should not have raised."""
    share: int
    """Inputs of 10,000 that are of this area."""
    seconds: float = 5.0
    """Of CPU that one input may take."""
    patience: float = 60.0
    """Seconds of the clock that one input may take, for those that wait and use no CPU."""


def open_area(name: str, place: Path) -> Area:
    """Set an area up; what it writes stands in a folder of its own."""
    return import_module(f"qa.fuzz.areas.{name}").open_area(place)


def inputs_of(area: Area, total: int) -> int:
    """Return how many of so many inputs are of an area: one at least."""
    return max(1, round(area.share * total / 10_000))
