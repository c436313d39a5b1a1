"""The selection: in the link and in step with the browser, on every page."""

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
"""Key of the run in which a person or a link chose a cell or a step: else it was found for them."""
_NUMBER = "selection_number"
_OF_A_CELL = ("query", "key", "step")
_PAGE = "page"
_GO = "go_to"


class _Made(NamedTuple):
    """In which run something was selected, and what, by name."""

    run: str
    values: Mapping[str, Any]


class _Last(NamedTuple):
    """The run that was in view last."""

    run: str
    sentence: tuple[str, str, str]
    """What was run, whatever was changed in the model: there a position stays what it is."""
    texts: Texts
    """They tell what was selected there."""


def follow_selection(
    run: Selectable,
    run_key: str,
    page: str,
    *,
    step: int | None = None,
) -> Selection:
    """Return what is selected, and keep it in the link and in step with the browser.

    What a link asks for and this run lacks becomes the nearest that it has, and the page says so.
    If a person has typed another text since the link was opened, its cell means nothing any more.

    Args:
        run: The run to select in.
        run_key: Its key.
        page: The page's URL.
        step: That of a run in which none was chosen.
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
    """Return what is selected, in a part of a page that follows it by itself."""
    return nearest(run, _asked())[0]


def select(values: Mapping[str, Any]) -> None:
    """Select by name, for the session and in the link."""
    _select(values)
    address.tell()
    if not values.keys().isdisjoint(_OF_A_CELL) and _MADE in st.session_state:
        st.session_state[_CHOSEN_IN] = st.session_state[_MADE].run


def asks_for(*names: str) -> bool:
    """Return whether a link was opened just now that says one of these of the selection."""
    return address.is_unread(*FIELDS) and any(address.said(name) is not None for name in names)


def selected_tensor() -> str | None:
    """Return the name of the tensor in view, if one was chosen."""
    return address.said(TENSOR)


def forget_selection() -> None:
    """Let the next run start at its own default."""
    for key in (_MADE, _CHOSEN_IN):
        st.session_state.pop(key, None)
    address.open_link(dict.fromkeys((*FIELDS, TENSOR)))


def go_to(page: str, query: Mapping[str, str | None] | None = None) -> None:
    """Open another page as soon as this run has ended, by its URL, as a link with parameters."""
    st.session_state[_GO] = page
    address.open_link(query or {})


def page_to_open() -> str | None:
    """Return the page that was asked for by a click in a picture, once."""
    return st.session_state.pop(_GO, None)


def open_at(page: str, query: Mapping[str, str]) -> None:
    """Open a page as a link does, whatever was selected before."""
    forget_selection()
    address.open_link(query)
    if page != st.session_state.get(_PAGE):
        go_to(page)


def take_choice() -> None:
    """Follow a choice made in the browser."""
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
    """Return what is asked for of the selection, as text by name."""
    return {name: text for name in FIELDS if (text := address.said(name)) is not None}


def _select(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        address.put(name, str(value))


def _still_meant(run: Selectable, run_key: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Drop what was selected in another run or kind and means something else in this one.

    In a wholly other sentence nothing means the same, whatever tokens both have.
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
