"""The changes of the run in view: one list for all pages, in the link, with undo and redo."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from model.interventions.kinds import Intervention
from viz.address import address
from viz.address.changes import (
    LONGEST_LINK,
    MOST_CHANGES,
    Change,
    change_for,
    read_changes,
    write_changes,
)
from viz.run.inputs import Inputs

LINK = "edits"
"""Parameter of the link that holds the changes as text."""

_LIST = "changes"
_ASKED = "changes_asked"
"""Text of a link that was opened and is not read, or cannot be."""
_UNSEEN = "changes_unseen"
_MOST_STEPS = 100


class History(NamedTuple):
    """The changes, what they were before, and what was undone."""

    past: tuple[tuple[Change, ...], ...] = ()
    now: tuple[Change, ...] = ()
    future: tuple[tuple[Change, ...], ...] = ()


def follow_link(inputs: Inputs) -> str | None:
    """Take the changes of a link that was opened, and keep in it those there are.

    Returns what is wrong in the link.

    What cannot be read stays in the link, and the changes that are known stay in force. Those that
    a link would not hold go, the oldest first, and first those of other texts.

    Args:
        inputs: What is run: the positions that a link names are of its texts, unless a person has
            changed these since the link was opened.
    """
    is_to_run_again()
    if address.is_news(LINK):
        st.session_state[_ASKED] = address.said(LINK) or ""
    known, wrong = _history(), None
    asked = st.session_state.get(_ASKED)
    if asked is not None:
        try:
            linked = read_changes(asked, *_linked_texts(inputs))
        except ValueError as error:
            wrong = str(error)
        else:
            del st.session_state[_ASKED]
            known = known if linked == known.now else _after(known, linked)
    st.session_state[_LIST] = known._replace(now=_fitting(known.now, inputs))
    address.put(LINK, link_text(inputs) or None)
    return wrong


def link_text(inputs: Inputs) -> str:
    """Write what a link to these inputs says of changes."""
    asked = st.session_state.get(_ASKED)
    return write_changes(changes(), inputs.texts) if asked is None else asked


def changes() -> tuple[Change, ...]:
    """List the changes, those included that are off or mean nothing in the run in view."""
    return _history().now


def in_force(inputs: Inputs) -> tuple[Intervention, ...]:
    """List the interventions that act on a run."""
    return tuple(c.intervention for c in changes() if c.is_on and c.applies(*inputs.texts))


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
        new = change_for(intervention, *inputs.texts)
        known = [*(c for c in known if c.place != new.place), new]
    keep(known)


def exchange(old: Iterable[Intervention], new: Iterable[Intervention], inputs: Inputs) -> None:
    """Take changes off the list and put others on it, in one step that one undo takes back."""
    gone = set(old)
    left = [c for c in changes() if c.intervention not in gone]
    keep([*left, *(change_for(one, *inputs.texts) for one in new)])


def switch(places: Collection[int]) -> None:
    """Turn changes on or off."""
    keep(replace(c, is_on=not c.is_on) if i in places else c for i, c in enumerate(changes()))


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
    if _ASKED in st.session_state:
        _put(_history())
    else:
        keep(())


def before() -> tuple[Change, ...] | None:
    """Return what undo brings back; None where there is nothing to undo."""
    return next(reversed(_history().past), None)


def undone() -> tuple[Change, ...] | None:
    """Return what redo brings back; None where nothing was undone."""
    return next(iter(_history().future), None)


def _history() -> History:
    return st.session_state.get(_LIST, History())


def _after(known: History, now: tuple[Change, ...]) -> History:
    return History((*known.past, known.now)[-_MOST_STEPS:], now)


def is_to_run_again() -> bool:
    """Tell, once, whether changes were made that the page in view does not show yet."""
    return bool(st.session_state.pop(_UNSEEN, False))


def _linked_texts(inputs: Inputs) -> Iterable[str]:
    """Yield the model and the texts that a link had when it said which changes there are."""
    for name, now in zip(address.TEXTS, inputs.texts, strict=True):
        yield address.linked_value(name, now, since=(LINK,))


def _put(history: History) -> None:
    st.session_state[_UNSEEN] = True
    st.session_state[_LIST] = history
    st.session_state.pop(_ASKED, None)


def _fitting(now: tuple[Change, ...], inputs: Inputs) -> tuple[Change, ...]:
    while len(write_changes(now, inputs.texts)) > LONGEST_LINK:
        gone = next((i for i, one in enumerate(now) if not one.applies(*inputs.texts)), 0)
        now = (*now[:gone], *now[gone + 1 :])
    return now
