"""The changes of the run in view: one list for all pages and the link, with undo and redo."""

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
"""Text of a link that was opened and is not yet read, or cannot be read."""
_UNSEEN = "changes_unseen"
_MOST_STEPS = 100


class History(NamedTuple):
    """The changes, the earlier lists, and the undone ones."""

    past: tuple[tuple[Change, ...], ...] = ()
    now: tuple[Change, ...] = ()
    future: tuple[tuple[Change, ...], ...] = ()


def follow_link(inputs: Inputs) -> str | None:
    """Take the changes of an opened link, and keep the current ones in the link.

    Returns the error in the link, or None.

    A text that cannot be read stays in the link, and the changes remain as they are. If the changes
    are too long for a link, some are dropped: first those of other texts, and the oldest first.

    Args:
        inputs: The inputs of the run. The positions in a link refer to these texts, unless a person
            has changed them since the link was opened.
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
    """Return the text of the changes in a link to these inputs."""
    asked = st.session_state.get(_ASKED)
    return write_changes(changes(), inputs.texts) if asked is None else asked


def changes() -> tuple[Change, ...]:
    """Return all changes, including those that are off or have no meaning in the run in view."""
    return _history().now


def in_force(inputs: Inputs) -> tuple[Intervention, ...]:
    """Return the interventions that act on a run."""
    return tuple(c.intervention for c in changes() if c.is_on and c.applies(*inputs.texts))


def keep(new: Iterable[Change]) -> None:
    """Replace the changes, before the page is drawn; undo brings the old ones back."""
    wanted = tuple(new)[-MOST_CHANGES:]
    known = _history()
    if wanted != known.now:
        _put(_after(known, wanted))


def add(interventions: Iterable[Intervention], inputs: Inputs) -> None:
    """Add changes to the run in view; each replaces an earlier change with the same place."""
    known = list(changes())
    for intervention in interventions:
        new = change_for(intervention, *inputs.texts)
        known = [*(c for c in known if c.place != new.place), new]
    keep(known)


def exchange(old: Iterable[Intervention], new: Iterable[Intervention], inputs: Inputs) -> None:
    """Replace changes by others, in one step of the history."""
    gone = set(old)
    left = [c for c in changes() if c.intervention not in gone]
    keep([*left, *(change_for(one, *inputs.texts) for one in new)])


def switch(places: Collection[int]) -> None:
    """Turn changes on or off."""
    keep(replace(c, is_on=not c.is_on) if i in places else c for i, c in enumerate(changes()))


def undo() -> None:
    """Go back to the previous list of changes."""
    past, now, future = _history()
    if past:
        _put(History(past[:-1], past[-1], (now, *future)))


def redo() -> None:
    """Repeat the step that was undone last."""
    past, now, future = _history()
    if future:
        _put(History((*past, now), future[0], future[1:]))


def forget_wrong() -> None:
    """Drop the changes that cannot be made: the text of an unreadable link, else the whole list.

    Undo brings back a list that the model refused.
    """
    if _ASKED in st.session_state:
        _put(_history())
    else:
        keep(())


def before() -> tuple[Change, ...] | None:
    """Return the list that undo would bring back; None if there is nothing to undo."""
    return next(reversed(_history().past), None)


def undone() -> tuple[Change, ...] | None:
    """Return the list that redo would bring back; None if nothing was undone."""
    return next(iter(_history().future), None)


def _history() -> History:
    return st.session_state.get(_LIST, History())


def _after(known: History, now: tuple[Change, ...]) -> History:
    return History((*known.past, known.now)[-_MOST_STEPS:], now)


def is_to_run_again() -> bool:
    """Return whether changes were made that the page does not show yet, and reset the answer."""
    return bool(st.session_state.pop(_UNSEEN, False))


def _linked_texts(inputs: Inputs) -> Iterable[str]:
    """Yield the model and the texts at the time when a link set the changes."""
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
