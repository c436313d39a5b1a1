"""Paths of the decoding studio, decoded and packed once for each choice."""

from typing import Any

import streamlit as st

from viz.run import session
from viz.run.view import Inputs, View
from viz.subjects.decoding.lens import read_lens
from viz.subjects.decoding.paths import Path, decode_path, hypothesis_path
from viz.subjects.decoding.pictures import pack_lens, pack_path, pack_tree
from viz.subjects.decoding.reading import Reading, played_steps, read_path
from viz.subjects.decoding.recipe import Branch, Recipe
from viz.subjects.decoding.tree import read_tree


def find_path(view: View, recipe: Recipe, branch: Branch) -> Path:
    """Decode a path once. Raises ValueError on a fork that the path before it lacks."""
    return _path(view.inputs, view.parcel.key, recipe, branch)


def find_hypothesis(view: View, recipe: Recipe, branch: Branch, hypothesis: int) -> Path:
    """Give one hypothesis of a branch's beam as a path. Raises ValueError where there is none."""
    return _hypothesis(view.inputs, view.parcel.key, recipe, branch, hypothesis)


def path_parcel(
    view: View, recipe: Recipe, branch: Branch, hypothesis: int | None, key: str
) -> dict[str, Any]:
    """Pack what a path computed, for the browser."""
    return _path_parcel(view.inputs, view.parcel.key, recipe, branch, hypothesis, key)


def lens_parcel(
    view: View, recipe: Recipe, branch: Branch, hypothesis: int | None, key: str
) -> dict[str, Any]:
    """Pack what each depth of the decoder would have written, for the browser."""
    return _lens_parcel(view.inputs, view.parcel.key, recipe, branch, hypothesis, key)


def tree_parcel(view: View, recipe: Recipe, branch: Branch) -> dict[str, Any]:
    """Pack the tree of a branch's beam, for the browser."""
    return _tree_parcel(view.inputs, view.parcel.key, recipe, branch)


@st.cache_resource(max_entries=64, show_spinner=False)
def _path(
    inputs: Inputs,
    run_key: str,  # noqa: ARG001 - part of the cache's key: names the checkpoint's version
    recipe: Recipe,
    branch: Branch,
) -> Path:
    view = session.open_view(Inputs(*inputs))
    return decode_path(view.run, view.model, recipe, branch, inputs[3])


@st.cache_resource(max_entries=64, show_spinner=False)
def _hypothesis(
    inputs: Inputs, run_key: str, recipe: Recipe, branch: Branch, hypothesis: int
) -> Path:
    view = session.open_view(Inputs(*inputs))
    found = _path(inputs, run_key, recipe, branch)
    return hypothesis_path(view.run, view.model, found, hypothesis, inputs[3])


@st.cache_resource(max_entries=16, show_spinner=False)
def _reading(
    inputs: Inputs, run_key: str, recipe: Recipe, branch: Branch, hypothesis: int | None
) -> tuple[Path, Reading]:
    view = session.open_view(Inputs(*inputs))
    if hypothesis is None:
        path = _path(inputs, run_key, recipe, branch)
    else:
        path = _hypothesis(inputs, run_key, recipe, branch, hypothesis)
    count = played_steps(view.run.info.config, path, len(view.run.source.ids))
    return path, read_path(view.run, view.model, path, count, inputs[3])


@st.cache_resource(max_entries=16, show_spinner=False)
def _path_parcel(
    inputs: Inputs,
    run_key: str,
    recipe: Recipe,
    branch: Branch,
    hypothesis: int | None,
    key: str,
) -> dict[str, Any]:
    view = session.open_view(Inputs(*inputs))
    path, reading = _reading(inputs, run_key, recipe, branch, hypothesis)
    return pack_path(view.run, view.model, path, reading, recipe.mode, view.parcel.languages, key)


@st.cache_resource(max_entries=16, show_spinner=False)
def _lens_parcel(
    inputs: Inputs,
    run_key: str,
    recipe: Recipe,
    branch: Branch,
    hypothesis: int | None,
    key: str,
) -> dict[str, Any]:
    view = session.open_view(Inputs(*inputs))
    path, reading = _reading(inputs, run_key, recipe, branch, hypothesis)
    written = path.ids[: reading.states.size(1)]
    return pack_lens(view.run, read_lens(view.model, reading.states, written), written, key)


@st.cache_resource(max_entries=16, show_spinner=False)
def _tree_parcel(inputs: Inputs, run_key: str, recipe: Recipe, branch: Branch) -> dict[str, Any]:
    view = session.open_view(Inputs(*inputs))
    path = _path(inputs, run_key, recipe, branch)
    reading = read_tree(view.run, view.model, path.search, inputs[3])
    return pack_tree(view.run, path, reading, recipe.length_penalty)
