"""Lends a page its own model if the page has nothing to show for the selected one.

The selected model is kept with its sentence and its changes, and returns on every other page.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import NamedTuple

import streamlit as st

from texts import say, say_of
from viz.address import address, history, link
from viz.address.selection import FIELDS
from viz.models import own_checkpoints
from viz.pictures import tokens

_LENT = "lent_model"
_NEXT = "lent_next"
"""The link with which the next run begins."""


class _Lent(NamedTuple):
    name: str
    """The name of the page's own model."""
    kept: Mapping[str, str | None]
    """The values in the link of the selected model."""


def follow() -> None:
    """Open the model that the last run requested; call this before a model is selected."""
    if query := st.session_state.pop(_NEXT, None):
        address.open_link(query)


def arrange(page: ModuleType, checkpoint: str, *, first: str, is_wanted: bool) -> None:
    """Lend a page its own model, or return the selected one on other pages, before drawing.

    Args:
        page: The page in view; its `MODEL` is the page's own model.
        checkpoint: The model in view.
        first: The address of the page to return to.
        is_wanted: Whether the page has nothing to show for the model in view.
    """
    own: str | None = getattr(page, "MODEL", None)
    lent = _lent(checkpoint)
    if is_wanted and own in own_checkpoints.checkpoint_names():
        _lend(own)
    elif lent and not own:
        del st.session_state[_LENT]
        st.session_state[_NEXT] = lent.kept
        st.rerun()
    elif lent:
        _show(lent, first)


def _lend(name: str) -> None:
    """Open a model for the page in view, and keep the current selection."""
    names = (*address.TEXTS, history.LINK, *FIELDS, link.TENSOR)
    kept = {each: address.said(each) for each in names}
    st.session_state[_LENT] = _Lent(name, kept)
    st.session_state[_NEXT] = dict.fromkeys(names) | {"checkpoint": name}
    st.rerun()


def _show(lent: _Lent, back: str) -> None:
    """Explain that the page uses its own model, and offer a way back to the selected one."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lent"):
        st.html(tokens.note(say("frame.lent")), width="content")
        for name, act, args in (("back", _go_back, (lent, back)), ("keep", _keep, ())):
            label = say_of("frame.lent", name)
            st.button(label, key=f"lent_{name}", type="tertiary", on_click=act, args=args)


def _lent(checkpoint: str) -> _Lent | None:
    """Return the loan, unless the user has selected another model since."""
    lent: _Lent | None = st.session_state.get(_LENT)
    if lent and lent.name != checkpoint:
        del st.session_state[_LENT]
        return None
    return lent


def _go_back(lent: _Lent, page: str) -> None:
    _keep()
    link.go_to(page, lent.kept)


def _keep() -> None:
    """Keep the model in view on all pages."""
    st.session_state.pop(_LENT, None)
