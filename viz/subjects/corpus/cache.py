"""What atlases say, asked once for all sessions."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

import streamlit as st

from viz.corpus import costs, examples, pairing, reading, roles, spread
from viz.corpus.atlas import Atlas, DuckDBMissingError
from viz.corpus.places import atlas_folders
from viz.corpus.shards import done_shards, find_origin
from viz.corpus.tables import AtlasError, HeadName
from viz.run import session
from viz.run.cached import cached

P = ParamSpec("P")
R = TypeVar("R")


class Place(NamedTuple):
    """An atlas as it was written, for caches: one that has grown is another."""

    checkpoint: str
    folder: str
    shards: int
    written: int
    """When the latest file was, in nanoseconds."""


class Found(NamedTuple):
    """The atlas of a checkpoint, or why there is none to ask."""

    place: Place | None
    missing: str = ""
    """nothing, other_weights, broken or no_duckdb; empty where there is one."""
    why: str = ""


def find(checkpoint: str) -> Found:
    """Look for the atlas of a checkpoint as it is now."""
    folder = atlas_folders().get(checkpoint)
    if folder is None:
        return Found(None, "nothing")
    try:
        origin = find_origin(folder)
        if origin is None or origin.sha256 != session.weights_hash(checkpoint):
            return Found(None, "other_weights")
        place = _place(checkpoint, folder)
        _open(place)
    except AtlasError as error:
        return Found(None, "broken", str(error))
    except DuckDBMissingError as error:
        return Found(None, "no_duckdb", str(error))
    return Found(place)


def others(place: Place) -> dict[str, Place]:
    """List the atlases of other checkpoints of the same task, by name."""
    found: dict[str, Place] = {}
    task = _open(place).origin.task
    names = set(session.checkpoint_names())
    for name in atlas_folders():
        other = find(name).place if name in names and name != place.checkpoint else None
        if other and _open(other).origin.task == task:
            found[name] = other
    return found


class Summary(NamedTuple):
    """What an atlas is of."""

    sentences: int
    held_out: int
    decimals: int | None
    heads: tuple[HeadName, ...]
    cuts: bool
    """Whether it says what the model does without each head."""


def _place(checkpoint: str, folder: Path) -> Place:
    done = done_shards(folder)
    written = max((path.stat().st_mtime_ns for path in folder.rglob("*.parquet")), default=0)
    return Place(checkpoint, str(folder), len(done), written)


@st.cache_resource(max_entries=8, show_spinner=False)
def _open(place: Place) -> Atlas:
    return Atlas(Path(place.folder))


def _asked(
    question: Callable[Concatenate[Atlas, P], R],
) -> Callable[Concatenate[Place, P], R]:
    """Ask an atlas by its place, and keep the answer."""

    def ask(place: Place, *arguments: P.args, **named: P.kwargs) -> R:
        return question(_open(place), *arguments, **named)

    ask.__module__, ask.__qualname__ = question.__module__, question.__qualname__
    return cached(ask)


def _summary(atlas: Atlas) -> Summary:
    return Summary(
        atlas.sentences, atlas.held_out, atlas.origin.decimals, atlas.heads, atlas.origin.cuts
    )


summary = _asked(_summary)
roles_of = _asked(roles.find_roles)
spread_of = _asked(spread.spread_of)
means_of_all = _asked(spread.means_of_all)
distances = _asked(reading.distances)
classes = _asked(reading.classes)
words_read = _asked(reading.words_read)
words_that_read = _asked(reading.words_that_read)
examples_of = _asked(examples.examples)
same_heads = _asked(pairing.same_heads)
costs_of = _asked(costs.costs)


def difference(
    first: Place, second: Place, heads: tuple[HeadName, HeadName], metric: str
) -> pairing.Difference | None:
    """Compare a head of each of two models, sentence by sentence."""
    return _difference(first, second, heads, metric)


def matched_heads(first: Place, second: Place) -> Mapping[HeadName, pairing.Pair]:
    """Give each head of a model the one of another that does its work."""
    return _matched_heads(first, second)


@cached
def _difference(
    first: Place, second: Place, heads: tuple[HeadName, HeadName], metric: str
) -> pairing.Difference | None:
    return pairing.difference(_open(first), _open(second), heads, metric)


@cached
def _matched_heads(first: Place, second: Place) -> Mapping[HeadName, pairing.Pair]:
    return pairing.matched_heads(_open(first), _open(second))
