"""Comparisons of two runs, made once for each pair."""

from collections.abc import Callable, Hashable
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

from viz.run.axes import AttentionKind
from viz.run.inputs import Inputs
from viz.run.result_cache import cached
from viz.run.view import View, per_view
from viz.subjects.compare.heads import KindChange, kind_changes
from viz.subjects.compare.outputs import StepChange, step_changes
from viz.subjects.compare.pairing import Pairing, pair_runs
from viz.subjects.compare.stages import StageChange, stage_changes
from viz.subjects.compare.suggestions import other_sentence

_OTHER = "compare_other"
"""The inputs of the other run of this session."""

P = ParamSpec("P")
R = TypeVar("R")


def _per_two(
    function: Callable[Concatenate[View, View, P], R],
) -> Callable[Concatenate[View, View, P], R]:
    def key(a: View, b: View, *arguments: P.args, **named: P.kwargs) -> Hashable:
        keys = (a.inputs, a.parcel.key, b.inputs, b.parcel.key)
        return (keys, arguments, *sorted(named.items()))

    return cached(function, key)


def put_in_view(other: View) -> None:
    """Remember which run is compared with the one in view."""
    st.session_state[_OTHER] = other.inputs


def other_in_view(view: View) -> Inputs:
    """Return the inputs of the other run; before one is chosen, a suggestion."""
    suggested = view.inputs.unchanged._replace(source=suggested_sentence(view), target="")
    return st.session_state.get(_OTHER, suggested)


@per_view
def suggested_sentence(view: View) -> str:
    """Return another source for a first comparison."""
    return other_sentence(view.run)


@_per_two
def pairing_of(a: View, b: View) -> Pairing:
    """Pair the tokens of two runs, once."""
    return pair_runs(a.run, b.run)


@_per_two
def changes_of(a: View, b: View, *, by_likeness: bool) -> dict[AttentionKind, KindChange]:
    """Compare every head of two runs, once."""
    return kind_changes(a.run, b.run, pairing_of(a, b), by_likeness=by_likeness)


@_per_two
def stages_of(a: View, b: View) -> tuple[StageChange, ...]:
    """Compare the states of two runs of one model, once."""
    return stage_changes(a.run, b.run, pairing_of(a, b))


@_per_two
def steps_of(a: View, b: View) -> tuple[StepChange, ...]:
    """Compare the outputs of two runs with one vocabulary, once."""
    rows, _ = pairing_of(a, b).axes("decoder self-attention", a.run, b.run)
    first = a.run.n_prompt, b.run.n_prompt
    written = tuple(
        (i, j)
        for i, j in rows
        if None not in (i, j) and (i or 0) >= first[0] and (j or 0) >= first[1]
    )
    return step_changes(a.run, b.run, rows if a.run.anatomy.translates else written)
