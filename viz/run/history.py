"""The changes of the run in view: one list for all pages, in the link, with undo and redo."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from model.intervention import Intervention
from viz.run.changes import (
    MOST_CHANGES,
    Change,
    change_for,
    read_changes,
    write_changes,
)
from viz.run.view import Inputs

LINK = "edits"
"""Key of the field, and of the parameter of the link, that holds the changes as text."""

_LIST = "changes"
_UNSEEN = "changes_unseen"
_MOST_STEPS = 100


class History(NamedTuple):
    """The changes, what they were before, and what was undone."""

    past: tuple[tuple[Change, ...], ...] = ()
    now: tuple[Change, ...] = ()
    future: tuple[tuple[Change, ...], ...] = ()


def follow_link(inputs: Inputs) -> str | None:
    """Take the changes of the link where it says others than are known; say what is wrong there.

    What cannot be read stays in the link, and those that are known stay in force.

    Positions that a link names are those of the run that the same link asks for.
    """
    is_to_run_again()
    text = st.session_state.get(LINK, "")
    known = _history()
    if text == write_changes(known.now):
        return None
    try:
        linked = read_changes(text, inputs.checkpoint, inputs.source, inputs.target)
    except ValueError as error:
        return str(error)
    st.session_state[_LIST] = _after(known, linked)
    return None


def changes() -> tuple[Change, ...]:
    """List the changes, those included that are off or mean nothing in the run in view."""
    return _history().now


def in_force(inputs: Inputs) -> tuple[Intervention, ...]:
    """List the interventions that act on a run."""
    named = (inputs.checkpoint, inputs.source, inputs.target)
    return tuple(c.intervention for c in changes() if c.is_on and c.applies(*named))


def keep(new: Iterable[Change]) -> None:
    """Put another list in the place of the changes, before the page is drawn; undo leads back."""
    wanted = tuple(new)[-MOST_CHANGES:]
    known = _history()
    if wanted != known.now:
        _put(_after(known, wanted))


def add(interventions: Iterable[Intervention], inputs: Inputs) -> None:
    """Add changes of the run in view; one that says the same place something else is replaced."""
    known = list(changes())
    for intervention in interventions:
        new = change_for(intervention, inputs.checkpoint, inputs.source, inputs.target)
        known = [c for c in known if _place(c) != _place(new)]
        known.append(new)
    keep(known)


def exchange(old: Iterable[Intervention], new: Iterable[Intervention], inputs: Inputs) -> None:
    """Take changes off the list and put others on it, in one step that one undo takes back."""
    gone = set(old)
    named = (inputs.checkpoint, inputs.source, inputs.target)
    left = [c for c in changes() if c.intervention not in gone]
    keep([*left, *(change_for(one, *named) for one in new)])


def switch(index: int) -> None:
    """Turn one change on or off."""
    keep(replace(c, is_on=not c.is_on) if i == index else c for i, c in enumerate(changes()))


def undo() -> None:
    """Go back to what the changes were before."""
    past, now, future = _history()
    if past:
        _put(History(past[:-1], past[-1], (now, *future)))


def redo() -> None:
    """Do again what was undone."""
    past, now, future = _history()
    if future:
        _put(History((*past, now), future[0], future[1:]))


def forget_wrong() -> None:
    """Put what can be made in the place of what cannot: none, where a link is no list of changes.

    A list that the model refuses goes as a whole; undo brings it back.
    """
    known = _history()
    if st.session_state.get(LINK, "") == write_changes(known.now):
        keep(())
    else:
        _put(known)


def can_undo() -> bool:
    """Tell whether there is anything to undo."""
    return bool(_history().past)


def can_redo() -> bool:
    """Tell whether anything was undone."""
    return bool(_history().future)


def _history() -> History:
    return st.session_state.get(_LIST, History())


def _after(known: History, now: tuple[Change, ...]) -> History:
    return History((*known.past, known.now)[-_MOST_STEPS:], now)


def is_to_run_again() -> bool:
    """Tell, once, whether changes were made that the page in view does not show yet."""
    return bool(st.session_state.pop(_UNSEEN, False))


def _put(history: History) -> None:
    st.session_state[_UNSEEN] = True
    st.session_state[_LIST] = history
    st.session_state[LINK] = write_changes(history.now)


def _place(change: Change) -> tuple[object, ...]:
    """Say where a change acts: a second one there takes the place of the first."""
    made = change.intervention
    group = "mask" if made.kind in ("cut", "fill") else ""
    columns = made.columns if made.kind in ("cut", "set", "zero", "scale") else None
    return (made.name, made.head, made.rows, columns, group, change.made_for)
