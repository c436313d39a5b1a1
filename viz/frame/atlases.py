"""The atlas of a checkpoint: found as it is now, opened and asked once for all sessions."""

from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

import streamlit as st

from viz.corpus import roles
from viz.corpus.atlas import Atlas, DuckDBMissingError
from viz.corpus.places import atlas_folders
from viz.corpus.shards import done_shards, find_origin
from viz.corpus.tables import AtlasError
from viz.run import session
from viz.run.result_cache import cached

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
        open_atlas(place)
    except AtlasError as error:
        return Found(None, "broken", str(error))
    except DuckDBMissingError as error:
        return Found(None, "no_duckdb", str(error))
    return Found(place)


def _place(checkpoint: str, folder: Path) -> Place:
    done = done_shards(folder)
    written = max((path.stat().st_mtime_ns for path in folder.rglob("*.parquet")), default=0)
    return Place(checkpoint, str(folder), len(done), written)


@st.cache_resource(max_entries=8, show_spinner=False)
def open_atlas(place: Place) -> Atlas:
    """Open an atlas once for all sessions. Raises AtlasError and DuckDBMissingError as Atlas."""
    return Atlas(Path(place.folder))


def asked(
    question: Callable[Concatenate[Atlas, P], R],
) -> Callable[Concatenate[Place, P], R]:
    """Ask an atlas by its place, and keep the answer."""

    def ask(place: Place, *arguments: P.args, **named: P.kwargs) -> R:
        return question(open_atlas(place), *arguments, **named)

    ask.__module__, ask.__qualname__ = question.__module__, question.__qualname__
    return cached(ask)


roles_of = asked(roles.find_roles)
