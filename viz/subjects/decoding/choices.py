"""The reader's choices on the Decoding page: read from the link and written to it."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from texts import say
from viz.address.address import is_news, put, said
from viz.subjects.decoding.strategy import (
    LAST_SEED,
    Branch,
    Shaping,
    branch_text,
    read_branch,
    read_shaping,
    shaping_text,
)

_RUN = "decoding_run"
"""The run in which a branch was chosen."""
_OF_A_RUN = ("branches", "at")
_NAMES = (*_OF_A_RUN, "shaping", "drawn")
_EXPLORE = "decoding_explore"


@dataclass(frozen=True)
class Choices:
    """All choices on the page, except the mode and the size of the beam."""

    branch: Branch
    """The played branch; without forks it is the model's own choice."""
    at: int | None
    """The first step to show; None to follow the selection."""
    shaping: Shaping
    """The shaping of the shown distribution."""
    drawn: Shaping
    """The shaping with which the played sample was drawn."""
    seed: int


def follow_choices(run_key: str) -> tuple[Choices, tuple[str, ...]]:
    """Return the choices from this session or the link, and notes on those that do not fit."""
    is_another = not is_news(*_NAMES) and st.session_state.get(_RUN) != run_key
    names = [name for name in _NAMES if not (is_another and name in _OF_A_RUN)]
    choices, notes = _read({name: text for name in names if (text := said(name)) is not None})
    st.session_state[_RUN] = run_key
    change(_written(choices))
    return choices, notes


def change(values: dict[str, str | None]) -> None:
    """Set choices by name; None removes one."""
    for name, value in values.items():
        put(name, value)


def take(branch: Branch, step: int) -> None:
    """Play a branch from a step on, or the model's own choice if it has no forks."""
    change({"branches": branch_text(branch) or None, "at": str(step)})


def explore(text: str) -> Callable[[], None]:
    """Make a callback that sets a text as the target on all pages."""

    def put() -> None:
        st.session_state["target"] = text
        st.session_state[_EXPLORE] = True

    return put


def explores() -> bool:
    """Return, once, whether a target was set on all pages, so that the whole app must run again."""
    return bool(st.session_state.pop(_EXPLORE, False))


def _read(chosen: dict[str, str]) -> tuple[Choices, tuple[str, ...]]:
    asked = chosen.get("branches", "")
    branch = read_branch(asked)
    lost = asked and branch is None
    notes = (say("decoding.not_a_branch", text=repr(asked[:40])),) if lost else ()
    *text, seed = chosen.get("drawn", "").rpartition(":")
    drawn = read_shaping(text[0]) or Shaping()
    choices = Choices(
        branch=branch or (),
        at=_number(chosen.get("at"), 99_999),
        shaping=read_shaping(chosen.get("shaping", "")) or drawn,
        drawn=drawn,
        seed=_number(seed, LAST_SEED) or 0,
    )
    return choices, notes


def _written(choices: Choices) -> dict[str, str | None]:
    drawn = f"{shaping_text(choices.drawn)}:{choices.seed}"
    plain = drawn == f"{shaping_text(Shaping())}:0"
    return {
        "branches": branch_text(choices.branch) or None,
        "at": None if choices.at is None else str(choices.at),
        "shaping": None if choices.shaping == choices.drawn else shaping_text(choices.shaping),
        "drawn": None if plain else drawn,
    }


def _number(text: str | None, most: int) -> int | None:
    """Read a number from 0 to `most`; None if it is not one."""
    if text is None or not text[:9].isdecimal():
        return None
    number = int(text[:9])
    return number if number <= most else None
