"""Keeps computed results for all sessions, within a budget of bytes."""

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
"""Bytes that the app needs besides its results: Python, torch, Streamlit and the first page."""

P = ParamSpec("P")
R = TypeVar("R")


def most_bytes() -> int:
    """Return the budget in bytes: LOUPE_MEMORY sets another number of megabytes."""
    named = os.environ.get("LOUPE_MEMORY", "")
    megabytes = int(named) if named.isdecimal() else _USUAL_MEGABYTES
    return megabytes * 1_000_000


class Store:
    """A cache of values by their inputs, which drops the least recently used value first.

    It computes one value at a time for each key; other callers of that key wait for it. It does not
    keep errors, nor values larger than the whole budget. With `any_size` it keeps such a value,
    alone.
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
        """Keep the results of a function, by its arguments or by the result of `key`."""
        name = (function.__module__, function.__qualname__)

        def named_key(*arguments: P.args, **named: P.kwargs) -> Hashable:
            found = key(*arguments, **named) if key else (arguments, *sorted(named.items()))
            return (name, found)

        # The key is kept with the value, because a long text can make it the larger of the two.
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
"""Keep the results of a function for all sessions. Its arguments are names, numbers and tuples."""


def kept_bytes() -> int:
    """Return the bytes of all results kept for the sessions."""
    return _store.kept_bytes
