"""Finds the current atlas of a checkpoint, and opens and queries it once for all sessions."""

from collections.abc import Callable
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

import streamlit as st

from viz.corpus import roles
from viz.corpus.atlas import Atlas
from viz.corpus.places import place_of
from viz.corpus.store import Store
from viz.corpus.tables import AtlasError
from viz.models import stamps
from viz.models.folders import PREFIX
from viz.run.result_cache import cached

P = ParamSpec("P")
R = TypeVar("R")


class Place(NamedTuple):
    """An atlas in its present state, for caches: an atlas that has grown gets a new key."""

    checkpoint: str
    folder: Store
    size: int
    written: int
    """Time of the last change of its manifest, in nanoseconds."""


class Found(NamedTuple):
    """The atlas of a checkpoint, or the reason why there is none."""

    place: Place | None
    missing: str = ""
    """"nothing", "other_weights" or "broken"; empty if there is an atlas."""
    why: str = ""


def find(checkpoint: str) -> Found:
    """Find the current atlas of a checkpoint."""
    try:
        found = place_of(checkpoint.removeprefix(PREFIX).replace("/", "--"))
        if found is None:
            return Found(None, "nothing")
        folder, stamp = found
        place = Place(checkpoint, folder, *stamp)
        if open_atlas(place).origin.sha256 != stamps.weights_hash(stamps.stamp(checkpoint)):
            return Found(None, "other_weights")
    except AtlasError as error:
        return Found(None, "broken", str(error))
    return Found(place)


@st.cache_resource(max_entries=8, show_spinner=False)
def open_atlas(place: Place) -> Atlas:
    """Open an atlas, once for all sessions. Raises AtlasError as Atlas does."""
    return Atlas(place.folder)


def asked(
    question: Callable[Concatenate[Atlas, P], R],
) -> Callable[Concatenate[Place, P], R]:
    """Make a query of an atlas take the atlas's place instead, and keep its results."""

    def ask(place: Place, *arguments: P.args, **named: P.kwargs) -> R:
        return question(open_atlas(place), *arguments, **named)

    ask.__module__, ask.__qualname__ = question.__module__, question.__qualname__
    return cached(ask)


roles_of = asked(roles.find_roles)
