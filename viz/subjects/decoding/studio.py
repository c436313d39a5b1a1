"""What the link says of the decoding studio, and how it is changed there."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from viz.subjects.decoding.recipe import (
    LAST_SEED,
    MAX_BRANCHES,
    Branch,
    Shaping,
    branches_text,
    read_branches,
    read_shaping,
    shaping_text,
)

_MEMORY = "decoding_studio"
"""What is chosen, by name, as text: pages change the URL's query."""
_OF_A_RUN = ("branches", "branch", "at", "node")
_NAMES = (*_OF_A_RUN, "shaping", "drawn", "heads")
_EXPLORE = "decoding_explore"


@dataclass(frozen=True)
class Studio:
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


def follow_studio(run_key: str) -> tuple[Studio, tuple[str, ...]]:
    """Give what is chosen, from this session or the link, and notes on what cannot be."""
    memory: dict[str, str] = st.session_state.get(_MEMORY, {})
    linked = {name: st.query_params[name] for name in _NAMES if name in st.query_params}
    chosen = linked if not memory else {k: v for k, v in memory.items() if k != "run"} | linked
    if memory and memory.get("run") != run_key:
        chosen = {name: value for name, value in chosen.items() if name not in _OF_A_RUN}
    studio, notes = _read(chosen)
    st.session_state[_MEMORY] = {"run": run_key}
    change(_written(studio))
    return studio, notes


def change(values: dict[str, str | None]) -> None:
    """Choose by name, for the session and in the URL; None takes a choice back."""
    memory: dict[str, str] = dict(st.session_state.get(_MEMORY, {}))
    for name, value in values.items():
        if value is None:
            memory.pop(name, None)
            st.query_params.pop(name, None)
        else:
            memory[name] = value
            if st.query_params.get(name) != value:
                st.query_params[name] = value
    st.session_state[_MEMORY] = memory


def with_branches(studio: Studio, branches: tuple[Branch, ...]) -> Studio:
    """Keep only these branches; the model's choice is played where the one played is not kept."""
    if branches == studio.branches:
        return studio
    played = branches.index(studio.branch) + 1 if studio.branch in branches else 0
    kept = replace(studio, branches=branches, played=played)
    change(_written(kept))
    return kept


def keep_branches(branches: tuple[Branch, ...], played: int, at: int) -> None:
    """Play one of these branches, from a step on."""
    text = branches_text(branches) if branches else None
    branch = str(played) if played else None
    change({"branches": text, "branch": branch, "at": str(at), "node": None})


def take(studio: Studio, branch: Branch, step: int) -> None:
    """Play a branch from a step on: a new one, one that is here, or the model's choice."""
    branches = studio.branches
    if branch and branch not in branches:
        branches = (*branches, branch)[-MAX_BRANCHES:]
    keep_branches(branches, branches.index(branch) + 1 if branch else 0, step)


def drop(studio: Studio, number: int, at: int) -> None:
    """Take a branch away; what was played stays, else the model's choice is."""
    branches = tuple(b for i, b in enumerate(studio.branches, start=1) if i != number)
    played = studio.played - (studio.played > number) if studio.played != number else 0
    keep_branches(branches, played, at)


def undo(studio: Studio, at: int) -> None:
    """Take the latest branch away, and play the one that it came from, if that is here."""
    *branches, last = studio.branches
    parent = max((i for i, b in enumerate(branches, start=1) if b == last[: len(b)]), default=0)
    keep_branches(tuple(branches), parent, at)


def explore(text: str) -> Callable[[], None]:
    """Make a callback that gives a text to all pages as the target."""

    def put() -> None:
        st.session_state["target"] = text
        st.session_state[_EXPLORE] = True

    return put


def explores() -> bool:
    """Tell, once, whether a target was given to all pages: the whole app has to run again."""
    return bool(st.session_state.pop(_EXPLORE, False))


def _read(chosen: dict[str, Any]) -> tuple[Studio, tuple[str, ...]]:
    branches, notes = read_branches(chosen.get("branches", ""))
    played = _number(chosen.get("branch"), len(branches)) or 0
    *text, seed = chosen.get("drawn", "").rpartition(":")
    drawn = read_shaping(text[0]) or Shaping()
    return (
        Studio(
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


def _written(studio: Studio) -> dict[str, str | None]:
    drawn = f"{shaping_text(studio.drawn)}:{studio.seed}"
    plain = drawn == f"{shaping_text(Shaping())}:0"
    return {
        "branches": branches_text(studio.branches) or None,
        "branch": str(studio.played) if studio.played else None,
        "at": None if studio.at is None else str(studio.at),
        "node": None if studio.node is None else str(studio.node),
        "shaping": None if studio.shaping == studio.drawn else shaping_text(studio.shaping),
        "drawn": None if plain else drawn,
        "heads": "mean" if studio.mean else None,
    }


def _number(text: str | None, most: int) -> int | None:
    """Read a number from 0 to `most`; None where it is none."""
    if text is None or not text[:9].isdecimal():
        return None
    number = int(text[:9])
    return number if number <= most else None
