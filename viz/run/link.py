"""The selection's way between the URL, the browser and the session, on every page."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from viz.pictures.tokens import markdown
from viz.run.display import NAMES, Display, read_display
from viz.run.history import is_to_run_again
from viz.run.language import LANGUAGE
from viz.run.record import Run
from viz.run.selection import FIELDS, Selection, Texts, carry_over, nearest
from viz.run.sync import SYNC, latest_choice, latest_display, sync_selection
from viz.work.visit import is_returned, write_address

_MEMORY = "selection"
"""What is selected, by name: pages change the URL's query, and a link may lack some of it."""
_DISPLAY = "display"
_NUMBER = "selection_number"
_MADE_IN = "selection_made_in"
"""The run in which it was selected, and what was selected there, by name."""
_CHOSEN_IN = "selection_chosen_in"
"""The run in which a person or a link chose a cell or a step: else it was found for them."""
_OF_A_CELL = ("query", "key", "step")
_TEXTS = "selection_texts"
"""The run that was in view last, and its texts: they tell what was selected there."""
_SENTENCE = "selection_sentence"
"""What was run last, whatever was changed in the model: there a position stays what it is."""
_PAGE = "page"
_TOLD = "address_told"
_GO = "go_to"
_GO_WITH = "go_to_with"
_FOLDS = "folds_of_the_page"
"""Whether each part that the page in view can open is usually open, by its parameter."""
_CARRIED = "carried_along"
"""Parameters that are no widget's and no page's own, by name; None of one that is left out."""


def follow_selection(
    run: Run,
    run_key: str,
    page: str,
    *,
    from_start: bool = False,
    found: Mapping[str, Any] | None = None,
) -> Selection:
    """Give what is selected, and keep it in the URL and in step with the browser.

    What a link asks for and this run lacks becomes the nearest that it has, and the page says so.

    Args:
        run: The run to select in.
        run_key: Its key.
        page: The page's URL.
        from_start: Whether a step that was not chosen in this run is the first one that writes.
        found: What a page found to be worth a look in this run, by name: selected unless a person
            or the link chose something here.
    """
    if _GO in st.session_state or is_to_run_again():
        st.rerun()
    _carry()
    memory: dict[str, Any] = st.session_state.get(_MEMORY, {})
    linked = {name: st.query_params[name] for name in FIELDS if name in st.query_params}
    returned = is_returned()
    asked = linked if returned else memory | linked
    moved = not (returned or _is_asked_anew(memory, linked))
    if not moved and _names_a_cell(linked):
        st.session_state[_CHOSEN_IN] = run_key
    if found and (memory or not linked) and st.session_state.get(_CHOSEN_IN) != run_key:
        asked, moved = dict(found), False
    elif moved:
        asked = _still_meant(run, run_key, asked)
    selection, notes = nearest(run, asked, moved=moved)
    if st.session_state.get(_CHOSEN_IN) != run_key:
        st.session_state.pop(_CHOSEN_IN, None)
        first = min(run.n_prompt, max(0, len(run.steps) - 1))
        selection = replace(selection, step=first) if from_start else selection
    if returned or not memory:  # else the address is the page's own, and may be of a moment ago
        for note in notes:
            st.warning(markdown(note))
    in_link = linked if returned or not memory else selection.to_dict()
    _select(selection.to_dict(), in_link=in_link)
    st.session_state[_MADE_IN] = (run_key, selection.to_dict())
    st.session_state[_TEXTS] = (run_key, _texts(run))
    st.session_state[_SENTENCE] = _sentence(run)
    st.session_state[_PAGE] = page
    sync_selection(
        selection.to_dict(),
        _follow_display().to_dict(),
        run=run_key,
        number=st.session_state.get(_NUMBER, 0),
        page=page,
        on_choice=partial(take_choice, SYNC),
        on_display=_take_display,
    )
    return selection


def current_selection(run: Run) -> Selection:
    """Give what is selected, in a part of a page that follows it by itself."""
    return nearest(run, st.session_state.get(_MEMORY, {}))[0]


def select(values: dict[str, Any]) -> None:
    """Select by name, for the session and in the URL."""
    _select(values, in_link=values)
    tell_address()
    if _names_a_cell(values) and _MADE_IN in st.session_state:
        st.session_state[_CHOSEN_IN], _ = st.session_state[_MADE_IN]


def is_arriving() -> bool:
    """Tell whether this session has come by a link just now, and selected nothing itself."""
    return _MEMORY not in st.session_state


def selected_tensor() -> str | None:
    """Give the name of the tensor in view, if one was chosen."""
    return st.query_params.get("tensor", st.session_state.get(_MEMORY, {}).get("tensor"))


def forget_selection() -> None:
    """Let the next run start at its own default."""
    st.session_state.pop(_MEMORY, None)
    st.session_state.pop(_MADE_IN, None)
    st.session_state.pop(_CHOSEN_IN, None)
    for name in (*FIELDS, "tensor"):
        st.query_params.pop(name, None)


def go_to(page: str, query: Mapping[str, str] | None = None) -> None:
    """Open another page as soon as this run has ended, by its URL, with parameters of its own."""
    st.session_state[_GO] = page
    st.session_state[_GO_WITH] = dict(query or {})


def page_to_open() -> str | None:
    """Give the page that was asked for by a click in a picture, once."""
    return st.session_state.pop(_GO, None)


def query_to_take() -> dict[str, str]:
    """Give what goes along to the page that was asked for.

    Widgets bring their own parameters, and refuse to have them set by others.
    """
    own = (*FIELDS, "tensor", LANGUAGE, *NAMES, *st.session_state.get(_CARRIED, {}))
    kept = {name: st.query_params[name] for name in own if name in st.query_params}
    return kept | st.session_state.pop(_GO_WITH, {})


def carry_along(values: Mapping[str, str], names: Iterable[str]) -> None:
    """Write parameters into the address, and take them along to every page; of `names` no others.

    To be called in each run of the script: a link between pages drops what is no widget's.
    """
    carried: dict[str, str | None] = st.session_state.setdefault(_CARRIED, {})
    carried |= {name: values.get(name) for name in names}
    _carry()


def _carry() -> None:
    """Write into the address what is carried along, where it says something else.

    A part of a page that is run by itself has the address as it was when the browser asked for it,
    and whatever writes a parameter then sends all of them.
    """
    _write_fields(st.session_state.get(_FOLDS, {}))
    carried: dict[str, str | None] = st.session_state.get(_CARRIED, {})
    for name, text in carried.items():
        if text is None:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != text:
            st.query_params[name] = text


def keep_fold(name: str, *, usual: bool) -> None:
    """Keep in the address whether a part of the page in view is open, as its field has it."""
    st.session_state.setdefault(_FOLDS, {})[name] = usual


def forget_folds() -> None:
    """Keep nothing of the parts of a page that is drawn anew."""
    st.session_state.pop(_FOLDS, None)


def _write_fields(fields: Mapping[str, str | bool]) -> None:
    """Write into the address what fields have now, where it is not what usually stands in them."""
    held = {name: st.session_state.get(name, usual) for name, usual in fields.items()}
    write_address({name: _field_text(now, fields[name]) for name, now in held.items()})


def _field_text(now: str | bool, usual: str | bool) -> str | None:
    if now == usual:
        return None
    return str(now).lower() if isinstance(now, bool) else now


def tell_address(fields: Mapping[str, str] | None = None) -> None:
    """Tell the browser the whole address again, at the end of a run and of a choice.

    What an earlier run wrote may have reached it only after it had asked for this one, which then
    found the address as it should be. The first run tells nothing: that would add an entry to the
    browser's history, since the code that keeps it from that comes only with the first page.

    Args:
        fields: What stands usually in fields that the address has; what does now, goes into it: a
            page is asked for with whatever the address was, and the fields keep what they have.
    """
    _carry()
    _write_fields(fields or {})
    if _TOLD in st.session_state:
        st.query_params.update({})
    st.session_state[_TOLD] = True


def open_at(page: str, query: Mapping[str, str]) -> None:
    """Open a page where a link would, with parameters that are no widget's."""
    forget_selection()
    st.session_state.pop(_DISPLAY, None)
    for name in NAMES:
        st.query_params.pop(name, None)
    st.query_params.update(query)
    if page != st.session_state.get(_PAGE):
        go_to(page, query)


def take_choice(component: str, run: str | None = None) -> None:
    """Follow a choice made in the browser, that came by a component with this key.

    With `run`, the one that the component's part of the page shows, a choice that was made in
    another is only counted: the page has gone on to this one meanwhile, and selected a cell in it.
    """
    choice = latest_choice(component)
    st.session_state[_NUMBER] = choice.number
    if run not in (None, choice.run):
        return
    select(choice.values)
    st.session_state[_CHOSEN_IN] = choice.run
    if not choice.adrift:
        st.session_state[_MADE_IN] = (choice.run, choice.values)
    if choice.page not in (None, st.session_state.get(_PAGE)):
        st.session_state[_GO] = choice.page


def _select(values: dict[str, Any], *, in_link: Iterable[str]) -> None:
    """Select by name, and write those of these names into the URL that say something else there.

    What a link left out stays out of it when it is opened: to write it there would add an entry to
    the browser's history, since the code that keeps it from that comes only with the first page.
    """
    st.session_state[_MEMORY] = st.session_state.get(_MEMORY, {}) | values
    changed = {name: str(values[name]) for name in in_link}
    changed = {n: text for n, text in changed.items() if st.query_params.get(n) != text}
    if changed:
        st.query_params.update(changed)


def _is_asked_anew(memory: dict[str, Any], linked: dict[str, str]) -> bool:
    """Tell whether the address asks for a cell: at first, or written by hand."""
    return any(str(memory.get(name)) != linked[name] for name in _OF_A_CELL if name in linked)


def _names_a_cell(values: Mapping[str, Any]) -> bool:
    return any(name in values for name in _OF_A_CELL)


def _still_meant(run: Run, run_key: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Drop what was selected in another run or kind and means something else in this one."""
    run_before, made = st.session_state.get(_MADE_IN, (run_key, asked))
    run_of_texts, texts = st.session_state.get(_TEXTS, (run_key, _texts(run)))
    is_same_sentence = st.session_state.get(_SENTENCE) == _sentence(run)
    is_same = run_before == run_key or (run_before == run_of_texts and is_same_sentence)
    if is_same and made.get("kind") == asked.get("kind"):
        return asked
    before = texts.at(made | {"step": asked.get("step")}) if run_of_texts == run_before else {}
    cell = {name: made[name] for name in ("query", "key") if name in made}
    return carry_over(_texts(run), asked | cell, before)


def _sentence(run: Run) -> tuple[str, str, str]:
    return run.info.name, run.source_text, run.text if run.given else ""


def _texts(run: Run) -> Texts:
    return Texts(run.texts["source"], run.target_tokens, run.anatomy.row_name)


def _follow_display() -> Display:
    """Give how the heads are shown, and keep it in the URL where it is not as usual."""
    memory: dict[str, Any] = st.session_state.get(_DISPLAY, {})
    display = read_display(memory | {n: st.query_params[n] for n in NAMES if n in st.query_params})
    _keep_display(display)
    return display


def _keep_display(display: Display) -> None:
    st.session_state[_DISPLAY] = display.to_dict()
    for name, text in display.changed().items():
        if text is None:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != text:
            st.query_params[name] = text


def _take_display() -> None:
    values, st.session_state[_NUMBER] = latest_display()
    _keep_display(read_display(values))
