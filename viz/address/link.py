"""The selection on every page, kept in the link and in step with the browser."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from viz.address import address
from viz.address.history import is_to_run_again
from viz.address.selection import FIELDS, Selectable, Selection, Texts, carry_over, nearest
from viz.address.sync import latest_choice, sync_selection
from viz.pictures.tokens import markdown

TENSOR = "tensor"
"""Parameter of the tensor in view, if one was chosen."""
_MADE = "selection_made"
_LAST = "selection_last"
_CHOSEN_IN = "selection_chosen_in"
"""Key of the run in which a person or a link chose a cell or step; in others, Loupe chose it."""
_NUMBER = "selection_number"
_OF_A_CELL = ("query", "key", "step")
_PAGE = "page"
_GO = "go_to"


class _Made(NamedTuple):
    """The run of a selection, and the values selected in it, by name."""

    run: str
    values: Mapping[str, Any]


class _Last(NamedTuple):
    """The run that was last in view."""

    run: str
    sentence: tuple[str, str, str]
    """Model and texts: in a changed run of the same sentence, a position keeps its meaning."""
    texts: Texts
    """The tokens of that run, which give its selection a meaning."""


def follow_selection(
    run: Selectable,
    run_key: str,
    page: str,
    *,
    step: int | None = None,
) -> Selection:
    """Return the selection, and keep it in the link and in step with the browser.

    A linked value that this run lacks becomes the nearest one, and the page reports it. If a person
    has typed another text since the link was opened, the cell of the link is dropped.

    Args:
        run: The run to select in.
        run_key: Its key.
        page: The page's URL.
        step: The step to select if nobody has chosen a cell or step in this run.
    """
    if _GO in st.session_state or is_to_run_again():
        st.rerun()
    asked = _asked()
    is_news = address.is_news(*FIELDS)
    is_linked = is_news and address.is_as_linked(*address.TEXTS, since=FIELDS)
    if is_linked and not asked.keys().isdisjoint(_OF_A_CELL):
        st.session_state[_CHOSEN_IN] = run_key
    is_chosen = st.session_state.get(_CHOSEN_IN) == run_key
    if is_news and not is_linked:
        asked = {name: text for name, text in asked.items() if name not in _OF_A_CELL}
    elif not is_linked:
        asked = _still_meant(run, run_key, asked)
    selection, notes = nearest(run, asked, moved=not is_linked)
    if not is_chosen and step is not None:
        selection = replace(selection, step=step)
    for note in notes if is_linked else ():
        st.warning(markdown(note))
    _select(selection.to_dict())
    st.session_state[_MADE] = _Made(run_key, selection.to_dict())
    st.session_state[_LAST] = _Last(run_key, _sentence(run), _texts(run))
    st.session_state[_PAGE] = page
    sync_selection(
        selection.to_dict(),
        run=run_key,
        number=st.session_state.get(_NUMBER, 0),
        page=page,
        on_choice=take_choice,
    )
    return selection


def current_selection(run: Selectable) -> Selection:
    """Return the selection, for a fragment of a page."""
    return nearest(run, _asked())[0]


def select(values: Mapping[str, Any]) -> None:
    """Select values by name, for the session and the link."""
    _select(values)
    address.tell()
    if not values.keys().isdisjoint(_OF_A_CELL) and _MADE in st.session_state:
        st.session_state[_CHOSEN_IN] = st.session_state[_MADE].run


def asks_for(*names: str) -> bool:
    """Return whether a link was just opened that sets one of these values of the selection."""
    return address.is_unread(*FIELDS) and any(address.said(name) is not None for name in names)


def selected_tensor() -> str | None:
    """Return the name of the tensor in view, if one was chosen."""
    return address.said(TENSOR)


def forget_selection() -> None:
    """Forget the selection, so that the next run begins with its own default."""
    for key in (_MADE, _CHOSEN_IN):
        st.session_state.pop(key, None)
    address.open_link(dict.fromkeys((*FIELDS, TENSOR)))


def go_to(page: str, query: Mapping[str, str | None] | None = None) -> None:
    """Open another page by its URL after this run has ended, with the parameters of a link."""
    st.session_state[_GO] = page
    address.open_link(query or {})


def page_to_open() -> str | None:
    """Return the page that a click in a picture asked for, and forget it; None without a click."""
    return st.session_state.pop(_GO, None)


def open_at(page: str, query: Mapping[str, str]) -> None:
    """Open a page as a link does, without the previous selection."""
    forget_selection()
    address.open_link(query)
    if page != st.session_state.get(_PAGE):
        go_to(page)


def take_choice() -> None:
    """Take over a choice made in the browser."""
    choice = latest_choice()
    if choice is None:
        return
    st.session_state[_NUMBER] = choice.number
    select(choice.values)
    st.session_state[_CHOSEN_IN] = choice.run
    if not choice.adrift and choice.run:
        st.session_state[_MADE] = _Made(choice.run, choice.values)
    if choice.page not in (None, st.session_state.get(_PAGE)):
        st.session_state[_GO] = choice.page


def _asked() -> dict[str, Any]:
    """Return the values of the selection in the link, as text by name."""
    return {name: text for name in FIELDS if (text := address.said(name)) is not None}


def _select(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        address.put(name, str(value))


def _still_meant(run: Selectable, run_key: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Drop the values selected in another run or kind that mean something else in this one.

    In a wholly different sentence no value keeps its meaning, even if the two share tokens.
    """
    made: _Made | None = st.session_state.get(_MADE)
    last: _Last | None = st.session_state.get(_LAST)
    if made is None or last is None:
        return asked
    is_same_sentence = made.run == last.run and last.sentence == _sentence(run)
    if (made.run == run_key or is_same_sentence) and made.values.get("kind") == asked.get("kind"):
        return asked
    place = {**made.values, "step": asked.get("step")}
    now = _texts(run)
    is_known = last.run == made.run and now.is_like(last.texts)
    before = last.texts.at(place) if is_known else {}
    cell = {name: made.values[name] for name in ("query", "key") if name in made.values}
    return carry_over(now, asked | cell, before)


def _sentence(run: Selectable) -> tuple[str, str, str]:
    return run.info.name, run.source_text, run.text if run.given else ""


def _texts(run: Selectable) -> Texts:
    return Texts(run.texts["source"], run.target_tokens, run.anatomy.row_name)
