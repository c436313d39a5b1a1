"""The cut in view: that of the selected head, or another one, which the address then names."""

import streamlit as st

from viz.address.address import is_news, is_unread, put, said
from viz.address.link import asks_for
from viz.address.selection import FIELDS, Selection
from viz.subjects.mattered.damage import Losses
from viz.subjects.mattered.part_names import cut_name, kind_of, layer_of
from viz.subjects.mattered.words.cuts import telling

_CUT = "cut"
"""The parameter of the link."""
_SHOWN = "mattered_cut"
"""The name of the cut in view, and the head selected then; None if it was chosen since."""


def names_nothing() -> bool:
    """Return whether this session just opened a link that names no head."""
    return is_unread(*FIELDS) and not asks_for("kind", "layer", "head")


def follow_cut(losses: Losses, selection: Selection, *, is_new: bool) -> int:
    """Return the index of the cut in view, and keep its name in the address.

    Args:
        losses: The losses of all cuts.
        selection: Its head is in view until another cut is chosen, and again once another head is.
        is_new: Whether a link was opened that names no head; the most telling cut is then in view.
    """
    first = losses.of.index(telling(losses) or losses.by_damage()[0])
    names = [cut_name(loss.part) for loss in losses.of]
    wanted = (selection.kind, selection.layer, selection.head)
    places = [(kind_of(each.part), layer_of(each.part), each.part.head) for each in losses.of]
    head = names[places.index(wanted)]
    shown, of = st.session_state.get(_SHOWN, (None, None))
    if is_news(_CUT):
        shown, of = said(_CUT) or (names[first] if is_new else head), head
    name = shown if of in (None, head) and shown in names else head
    st.session_state[_SHOWN] = name, head
    put(_CUT, None if name == head else name)
    return names.index(name)


def choose_cut(losses: Losses, number: int) -> None:
    """Put a cut in view."""
    st.session_state[_SHOWN] = cut_name(losses.of[number].part), None
