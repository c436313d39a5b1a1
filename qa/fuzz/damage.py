"""Damage to real files: to their bytes, and to the values of their JSON, as plain values."""

import copy
import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from qa.fuzz.hostile import short_texts

_MOST_PLACES = 400
"""The number of paths to draw from; of long lists only the first entries."""
_DEEP = "<deep>"
_LONG = "<long>"
"""Short names for values that would be long to print."""

_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 3, 7, 255, 65_536, 2**31, 2**53 + 1, 2**62, 2**64, -(2**63),
    0.0, -0.0, 0.5, 1e-320, 1e300, -1e300, 1e16, "", "0", "x", [], {}, [None], [[]], {"": None},
    [0], [-1], [1, 2, 3], {"a": 1}, float("nan"), float("inf"), _DEEP, _LONG,
)  # fmt: skip

Path = tuple[str | int, ...]
Edit = tuple[Any, ...]


def paths_in(value: object) -> list[Path]:
    """List the places of the values in a JSON value, shallow ones first."""
    found: list[Path] = [()]
    level: list[tuple[Path, Any]] = [((), value)]
    while level and len(found) < _MOST_PLACES:
        level = [((*path, name), inner) for path, of in level for name, inner in _inside(of)]
        found += [path for path, _ in level]
    return found[:_MOST_PLACES]


def _inside(value: object) -> list[tuple[Any, object]]:
    if isinstance(value, dict):
        return list(value.items())[:60]
    return list(enumerate(value[:4])) if isinstance(value, list) else []


def json_edits(value: object) -> SearchStrategy[list[Edit]]:
    """Return edits of a JSON value: replace, remove, add or swap values."""
    places = st.sampled_from(paths_in(value))
    odd = st.one_of(st.sampled_from(_ODD), short_texts(), st.integers(-5, 200), st.floats())
    edit = st.one_of(
        st.tuples(st.just("set"), places, odd),
        st.tuples(st.just("set"), places, odd),
        st.tuples(st.just("drop"), places),
        st.tuples(st.just("add"), places, short_texts(), odd),
        st.tuples(st.just("swap"), places, places),
    )
    return st.lists(edit, min_size=1, max_size=3)


def edited(value: object, edits: Sequence[Edit]) -> Any:
    """Return a copy of a JSON value with edits; those whose place is gone do nothing."""
    holder = {"": copy.deepcopy(value)}
    for what, path, *more in edits:
        outer, name = _find(holder, path)
        if outer is None:
            continue
        if what == "set":
            outer[name] = _value(more[0])
        elif what == "drop" and path:
            del outer[name]
        elif what == "add" and isinstance(outer[name], dict):
            outer[name][more[0]] = _value(more[1])
        elif what == "swap":
            other, other_name = _find(holder, more[0])
            if other is not None:
                first, second = copy.deepcopy(outer[name]), copy.deepcopy(other[other_name])
                outer[name], other[other_name] = second, first
    return holder[""]


def _find(outer: Any, path: Path) -> tuple[Any, Any]:
    name: Any = ""
    for step in path:
        outer = outer[name]
        try:
            outer[step]
        except (LookupError, TypeError):
            return None, None
        name = step
    return outer, name


def _value(value: object) -> object:
    if value == _LONG:
        return "x" * 100_000
    return json.loads("[" * 500 + "]" * 500) if value == _DEEP else copy.deepcopy(value)


def byte_edits() -> SearchStrategy[list[Edit]]:
    """Return edits of bytes: flip a bit, cut the end, insert bytes, swap two pieces."""
    place = st.integers(0, 1 << 22)
    near = st.one_of(st.integers(0, 400), place)
    edit = st.one_of(
        st.tuples(st.just("flip"), near, st.integers(0, 7)),
        st.tuples(st.just("put"), near, st.binary(min_size=1, max_size=12)),
        st.tuples(st.just("cut"), near, st.none()),
        st.tuples(st.just("insert"), near, st.binary(min_size=1, max_size=12)),
        st.tuples(st.just("repeat"), near, st.integers(1, 300)),
        st.tuples(st.just("swap"), near, near, st.integers(1, 64)),
        st.tuples(st.just("zeros"), near, st.integers(1, 300)),
    )
    return st.lists(edit, min_size=1, max_size=3)


def damaged(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Return bytes with edits; a place beyond the end wraps around to the beginning."""
    for what, place, more, *size in edits:
        at = place % (len(data) + 1)
        before, after = data[:at], data[at:]
        if what == "flip":
            data = before + bytes(b ^ (1 << more) for b in after[:1]) + after[1:]
        elif what == "put":
            data = before + more + after[len(more) :]
        elif what == "cut":
            data = before
        elif what == "insert":
            data = before + more + after
        elif what == "repeat":
            data = before + 2 * after[:more] + after[more:]
        elif what == "zeros":
            data = before + bytes(more) + after[more:]
        else:  # swap two pieces
            a, b = sorted((at, more % (len(data) + 1)))
            n = min(size[0], b - a)
            data = data[:a] + data[b : b + n] + data[a + n : b] + data[a : a + n] + data[b + n :]
    return data
