"""What is computed once and kept for all sessions, up to so many bytes altogether."""

import functools
import os
from collections.abc import Callable, Hashable
from threading import Condition
from typing import Any, ParamSpec, TypeVar

import cachetools

from model.memory.allocator import Trimmer
from viz.run.sizes import size_of

_USUAL_MEGABYTES = 1500
_BESIDE = 550_000_000
"""Bytes that the app takes beside its results: Python, torch, Streamlit and the first page."""

P = ParamSpec("P")
R = TypeVar("R")


def most_bytes() -> int:
    """Return the bytes that may be kept: LOUPE_MEMORY names another number of megabytes."""
    named = os.environ.get("LOUPE_MEMORY", "")
    megabytes = int(named) if named.isdecimal() else _USUAL_MEGABYTES
    return megabytes * 1_000_000


class Store:
    """Values by what they were computed from; the one that was not asked for longest goes first.

    One value at a time is computed for each key: who asks for it meanwhile waits for it. What is
    larger than all that may be kept is not kept, nor is what could not be computed. With `any_size`
    it is kept, and nothing beside it.
    """

    def __init__(self, most_bytes: int, *, any_size: bool = False) -> None:
        def counted(value: object) -> int:
            return min(size_of(value), most_bytes) if any_size else size_of(value)

        self._values = cachetools.LRUCache[Hashable, Any](most_bytes, getsizeof=counted)
        self._change = Condition()

    @property
    def kept_bytes(self) -> int:
        """Bytes of all values."""
        return int(self._values.currsize)

    def cached(
        self, function: Callable[P, R], key: Callable[P, Hashable] | None = None
    ) -> Callable[P, R]:
        """Keep what a function gives, by its arguments or by what `key` makes of them."""
        name = (function.__module__, function.__qualname__)

        def named_key(*arguments: P.args, **named: P.kwargs) -> Hashable:
            found = key(*arguments, **named) if key else (arguments, *sorted(named.items()))
            return (name, found)

        # Kept with its key, which a long text can make larger than the value.
        def compute(*arguments: P.args, **named: P.kwargs) -> tuple[R, Hashable]:
            value = function(*arguments, **named)
            _trimmer.trim()
            return value, named_key(*arguments, **named)

        keep = cachetools.cached(self._values, key=named_key, condition=self._change)
        kept = keep(compute)

        @functools.wraps(function)
        def ask(*arguments: P.args, **named: P.kwargs) -> R:
            return kept(*arguments, **named)[0]

        return ask


_trimmer = Trimmer(most_bytes() + _BESIDE)
_store = Store(most_bytes())
cached = _store.cached
"""Keep what a function gives for all sessions. Its arguments are names, numbers and tuples."""


def kept_bytes() -> int:
    """Return the bytes of all that is kept for the sessions."""
    return _store.kept_bytes
