"""An area of the fuzzing: inputs of one sort, and the properties that each must have."""

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
    """This input lacks a property that every input should have; the message says which."""


def hold(is_so: object, says: str) -> None:
    """Raise HeldError unless a condition holds."""
    if not is_so:
        raise HeldError(says)


@dataclass(frozen=True)
class Area:
    """Inputs of one sort. They are plain Python values, so that one can be typed again."""

    name: str
    inputs: SearchStrategy[Any]
    check: Callable[[Any], Verdict]
    """Gives an input to its reader. Raises an error that the reader should not have raised."""
    share: int
    """The number of inputs of this area among 10,000."""
    seconds: float = 5.0
    """The limit of CPU seconds for one input."""
    patience: float = 60.0
    """The limit of wall-clock seconds for one input, for readers that wait without using the
    CPU."""


def open_area(name: str, place: Path) -> Area:
    """Set an area up; its files go into a folder of its own."""
    return import_module(f"qa.fuzz.areas.{name}").open_area(place)


def inputs_of(area: Area, total: int) -> int:
    """Return the number of an area's inputs among so many: at least one."""
    return max(1, round(area.share * total / 10_000))
