"""What is chosen on the page of decoding, as its link says it, and how that is changed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import streamlit as st

from viz.run.address import is_news, put, said
from viz.subjects.decoding.strategy import (
    LAST_SEED,
    MAX_BRANCHES,
    Branch,
    Shaping,
    branches_text,
    read_branches,
    read_shaping,
    shaping_text,
)

_RUN = "decoding_run"
"""The run in which branches were chosen."""
_OF_A_RUN = ("branches", "branch", "at", "node")
_NAMES = (*_OF_A_RUN, "shaping", "drawn", "heads")
_EXPLORE = "decoding_explore"


_BEFORE = "decoding_before"
_WIDGETS = ("source", "target", "decoding", "beam_width", "length_penalty")
"""What an example sets."""


class _Before(NamedTuple):
    """What an example took the place of."""

    example: str
    widgets: dict[str, Any]
    run: str
    chosen: dict[str, str | None]


@dataclass(frozen=True)
class Choices:
    """All that is chosen on the page, but for the mode and the size of the beam."""

    branches: tuple[Branch, ...]
    played: int
    """0 is the model's choice, others count the branches."""
    at: int | None
    """Step to begin at; None follows the selection."""
    node: int | None
    """Hypothesis of the beam that is played; None is the best."""
    shaping: Shaping
    """As the distribution is shown."""
    drawn: Shaping
    """As the sample that is played was drawn."""
    seed: int
    mean: bool
    """Whether the rows are means of all heads."""

    @property
    def branch(self) -> Branch:
        """The branch that is played: no forks for the model's choice."""
        return self.branches[self.played - 1] if self.played else ()


def follow_choices(run_key: str) -> tuple[Choices, tuple[str, ...]]:
    """Return what is chosen, from this session or the link, and notes on what cannot be."""
    is_another = not is_news(*_NAMES) and st.session_state.get(_RUN) != run_key
    names = [name for name in _NAMES if not (is_another and name in _OF_A_RUN)]
    choices, notes = _read({name: text for name in names if (text := said(name)) is not None})
    st.session_state[_RUN] = run_key
    change(_written(choices))
    return choices, notes


def change(values: dict[str, str | None]) -> None:
    """Choose by name; None takes a choice back."""
    for name, value in values.items():
        put(name, value)


def with_branches(choices: Choices, branches: tuple[Branch, ...]) -> Choices:
    """Keep only these branches; the model's choice is played where the one played is not kept."""
    if branches == choices.branches:
        return choices
    played = branches.index(choices.branch) + 1 if choices.branch in branches else 0
    kept = replace(choices, branches=branches, played=played)
    change(_written(kept))
    return kept


def keep_branches(branches: tuple[Branch, ...], played: int, at: int) -> None:
    """Play one of these branches, from a step on."""
    text = branches_text(branches) if branches else None
    branch = str(played) if played else None
    change({"branches": text, "branch": branch, "at": str(at), "node": None})


def take(choices: Choices, branch: Branch, step: int) -> None:
    """Play a branch from a step on: a new one, one that is here, or the model's choice."""
    branches = choices.branches
    if branch and branch not in branches:
        branches = (*branches, branch)[-MAX_BRANCHES:]
    keep_branches(branches, branches.index(branch) + 1 if branch else 0, step)


def drop(choices: Choices, number: int, at: int) -> None:
    """Take a branch away; what was played stays, else the model's choice is."""
    branches = tuple(b for i, b in enumerate(choices.branches, start=1) if i != number)
    played = choices.played - (choices.played > number) if choices.played != number else 0
    keep_branches(branches, played, at)


def undo(choices: Choices, at: int) -> None:
    """Take the latest branch away, and play the one that it came from, if that is here."""
    *branches, last = choices.branches
    parent = max((i for i, b in enumerate(branches, start=1) if b == last[: len(b)]), default=0)
    keep_branches(tuple(branches), parent, at)


def explore(text: str) -> Callable[[], None]:
    """Make a callback that gives a text to all pages as the target."""

    def put() -> None:
        st.session_state["target"] = text
        st.session_state[_EXPLORE] = True

    return put


def begin_with(source: str, mode: str, **widgets: float) -> Callable[[], None]:
    """Make a callback that gives a source to all pages, and plays how it is written.

    Args:
        source: The text.
        mode: How it is written.
        widgets: What else this way of writing is set to, by the names of its fields.
    """

    def put() -> None:
        _keep_before(source)
        change(dict.fromkeys(_NAMES))
        st.session_state["source"], st.session_state["target"] = source, ""
        st.session_state["decoding"] = mode
        st.session_state.update(widgets)
        st.session_state[_EXPLORE] = True

    return put


def _keep_before(example: str) -> None:
    """Keep what an example takes the place of; from one example to the next, what was first."""
    kept: _Before | None = st.session_state.get(_BEFORE)
    if kept and kept.example == st.session_state["source"]:
        st.session_state[_BEFORE] = kept._replace(example=example)
        return
    widgets = {name: st.session_state[name] for name in _WIDGETS if name in st.session_state}
    chosen = {name: said(name) for name in _NAMES}
    st.session_state[_BEFORE] = _Before(example, widgets, st.session_state.get(_RUN, ""), chosen)


def source_before_example(source: str) -> str | None:
    """Return the sentence that an example took the place of; None where none did, or it is gone."""
    kept: _Before | None = st.session_state.get(_BEFORE)
    if kept is None or kept.example != source or kept.widgets["source"] == source:
        return None
    return kept.widgets["source"]


def leave_example() -> None:
    """Put the sentence back that an example took the place of, and how it was written."""
    kept: _Before = st.session_state.pop(_BEFORE)
    st.session_state.update(kept.widgets)
    st.session_state[_RUN] = kept.run
    change(kept.chosen)
    st.session_state[_EXPLORE] = True


def explores() -> bool:
    """Tell, once, whether a text was given to all pages: the whole app has to run again."""
    return bool(st.session_state.pop(_EXPLORE, False))


def _read(chosen: dict[str, Any]) -> tuple[Choices, tuple[str, ...]]:
    branches, notes = read_branches(chosen.get("branches", ""))
    played = _number(chosen.get("branch"), len(branches)) or 0
    *text, seed = chosen.get("drawn", "").rpartition(":")
    drawn = read_shaping(text[0]) or Shaping()
    return (
        Choices(
            branches=branches,
            played=played,
            at=_number(chosen.get("at"), 99_999),
            node=_number(chosen.get("node"), 99_999),
            shaping=read_shaping(chosen.get("shaping", "")) or drawn,
            drawn=drawn,
            seed=_number(seed, LAST_SEED) or 0,
            mean=chosen.get("heads") == "mean",
        ),
        notes,
    )


def _written(choices: Choices) -> dict[str, str | None]:
    drawn = f"{shaping_text(choices.drawn)}:{choices.seed}"
    plain = drawn == f"{shaping_text(Shaping())}:0"
    return {
        "branches": branches_text(choices.branches) or None,
        "branch": str(choices.played) if choices.played else None,
        "at": None if choices.at is None else str(choices.at),
        "node": None if choices.node is None else str(choices.node),
        "shaping": None if choices.shaping == choices.drawn else shaping_text(choices.shaping),
        "drawn": None if plain else drawn,
        "heads": "mean" if choices.mean else None,
    }


def _number(text: str | None, most: int) -> int | None:
    """Read a number from 0 to `most`; None where it is none."""
    if text is None or not text[:9].isdecimal():
        return None
    number = int(text[:9])
    return number if number <= most else None
