"""The address: read from a link once, then written from the state of the session.

A browser asks for each run with the address that it shows, which may be older than the session. So
Loupe reads the address only when a session arrives by it and when the browser goes back or forward.
In all other runs the session is right, and sends its address to the browser at the end.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import NamedTuple, ParamSpec

import streamlit as st

from viz.address.field_values import Field, Says, Value, fitting, read, written_value
from viz.work.visit import is_part, is_returned, until_gone

_Drawn = ParamSpec("_Drawn")
_KEY, RETURNS = "address", "returns"  # RETURNS counts the ways back and forward
TEXTS = ("checkpoint", "source", "target")
"""The model and texts of a run: the cell and the positions in a link refer to them."""


class _Changed(NamedTuple):
    """A field that a person has changed since a link set it."""

    number: int
    """The number of its latest change, counted over all fields."""
    linked: Value
    """Its value in the link, or before the first change if the link did not set it."""


@dataclass
class _Address:
    """The parameters of a session's address."""

    said: dict[str, list[str]]
    """Texts by name, also for pages that are not in view; a usual value has none."""
    taken: set[str] = field(default_factory=set)
    """Names that were read since a link set them."""
    fields: dict[str, Field] = field(default_factory=dict)
    """Each field as it was last drawn."""
    drawn: set[str] = field(default_factory=set)
    """Names that the current run has read or written."""
    of_frame: set[str] = field(default_factory=set)
    of_page: set[str] = field(default_factory=set)
    """Names of the last whole run, from frame and page: the address holds these, and no others."""
    by_page: set[str] | None = None
    """Names of the page that the current whole run has drawn."""
    held: dict[str, Value] = field(default_factory=dict)
    """The value of each field when it was last seen, by name: a person has made any other value."""
    changed: dict[str, _Changed] = field(default_factory=dict)
    """Fields that a person has changed since, by name."""
    changes: int = 0
    """How many changes a person has made to fields."""
    opened: dict[str, int] = field(default_factory=dict)
    """How many changes were made before a link within the app set a name, by name."""
    says_all: bool = False
    """Whether a missing parameter has its usual value: fields may be set before the first link."""
    is_told: bool = False


def follow() -> None:
    """Read the address if it is new; call this at the beginning of a run of the script."""
    known: _Address | None = st.session_state.get(_KEY)
    if known is None or is_returned():
        texts = {name: st.query_params.get_all(name) for name in st.query_params}
        back, now = known is not None, _in_fields(known) if known else {}
        st.session_state[_KEY] = _Address(texts, held=now, says_all=back, is_told=back)
        st.session_state[RETURNS] = st.session_state.get(RETURNS, -1) + 1
    address = _address()
    if known:
        address.of_frame, address.of_page = known.of_frame, known.of_page
    address.drawn, address.by_page = set(), None


def said(name: str) -> str | None:
    """Return the value of a parameter of the link; None if the link does not have it."""
    address = _address()
    address.drawn.add(name)
    texts = address.said.get(name)
    return texts[-1] if texts else None


def is_news(*names: str) -> bool:
    """Return whether one of these names is unread since a link was opened, and mark all as read."""
    unread = is_unread(*names)
    _address().taken.update(names)
    return unread


def is_unread(*names: str) -> bool:
    """Return whether one of these names is unread since a link was opened."""
    return not _address().taken.issuperset(names)


def linked_value(name: str, now: Value, *, since: Iterable[str]) -> Value:
    """Return the value that a field had when the link that set these names was opened.

    It is the present value, unless a person has changed the field since. A link may be read long
    after it was opened: its run can be stopped, and not every page reads all of a link.
    """
    address = _address()
    opened = max(address.opened.get(each, 0) for each in since)
    changed = address.changed.get(name)
    return changed.linked if changed and changed.number > opened else now


def is_as_linked(*names: str, since: Iterable[str]) -> bool:
    """Return whether these fields have the values that they had when a link set other names."""
    held = {name: value for name, value in _address().held.items() if name in names}
    return all(linked_value(name, now, since=since) == now for name, now in held.items())


def put(name: str, text: str | None) -> None:
    """Write a parameter; None removes it."""
    _write(name, None if text is None else [text])


def open_link(query: Mapping[str, str | None]) -> None:
    """Set these parameters as if a link had done so; None means that the link lacks one."""
    address = _address()
    for name, text in query.items():
        put(name, text)
        address.taken.discard(name)
        address.changed.pop(name, None)
        address.opened[name] = address.changes
        st.session_state.pop(name, None)


def bound(
    name: str,
    usual: Value,
    options: Iterable[Value] | None = None,
    says: Says | None = None,
    *,
    within: tuple[Value, Value] | None = None,
    longest: int | None = None,
) -> str:
    """Set a field to its value in the link, write its value into the link, and return its key.

    Draw the field with this key and without a value of its own. A field that nobody has set follows
    its usual value, and so does one whose value is not allowed. If a person changes the field
    before the link is read, their value stays.

    Args:
        name: The name of the parameter, and the key of the field.
        usual: The value without a link; a list in a field for several options.
        options: The options, if the field has some.
        says: Returns the words for an option, which old links contain, in any language.
        within: The least and the largest number.
        longest: The most characters of a text; the rest of a longer link is cut.
    """
    address, state = _address(), st.session_state
    address.drawn.add(name)
    now = Field(usual, None if options is None else [*options], within)
    before = address.fields.get(name)
    texts = [text[:longest] for text in address.said.get(name, ())] or None
    is_linked = is_unread(name) and (texts is not None or address.says_all)
    is_by_hand = name in state and state[name] != address.held.get(name, state[name])
    linked = None
    if name not in state or is_linked:
        linked = usual if texts is None else read(texts, now, says)
    if is_by_hand:
        _note_change(name, linked if is_linked else address.held[name])
    if name not in state or (is_linked and not is_by_hand):
        value = linked
    elif texts is None and before and state[name] == before.usual:
        value = usual
    else:
        value = fitting(state[name], now)
    if name not in state or state[name] != value or now != before:  # a changed field is reset
        state[name] = value
    address.taken.add(name)
    address.fields[name], address.held[name] = now, value
    _write(name, None if value == usual else written_value(value))
    return name


def written() -> dict[str, str | list[str]]:
    """Return the parameters that the address holds, by name."""
    address = _address()
    now = address.of_frame | address.of_page
    return {
        name: texts[0] if len(texts) == 1 else texts
        for name, texts in address.said.items()
        if name in now
    }


def tell() -> None:
    """Send the browser the whole address."""
    st.query_params.from_dict(written())


def end_run() -> None:
    """Send the browser the parameters that this whole run has read and written, and no others.

    The first run of a session sends nothing, because that would add an entry to the browser's
    history: the code that prevents it comes only with the first page.
    """
    address = _address()
    address.of_frame, address.of_page = address.drawn, address.by_page or set()
    if address.is_told:
        tell()
    address.is_told = True


def page_part(render: Callable[_Drawn, None]) -> Callable[_Drawn, None]:
    """Make a page that can be redrawn on its own, and then sends its own parameters."""

    @st.fragment
    @until_gone
    @wraps(render)
    def draw(*args: _Drawn.args, **kwargs: _Drawn.kwargs) -> None:
        address = _address()
        around, address.drawn = address.drawn, set()
        render(*args, **kwargs)
        address.of_page = address.by_page = address.drawn
        address.drawn = around
        if is_part():
            tell()

    return draw


def _address() -> _Address:
    if _KEY not in st.session_state:
        follow()
    return st.session_state[_KEY]


def _in_fields(known: _Address) -> dict[str, Value]:
    return {name: st.session_state[name] for name in known.fields if name in st.session_state}


def _note_change(name: str, linked: Value) -> None:
    address = _address()
    address.changes += 1
    before = address.changed.get(name)
    address.changed[name] = _Changed(address.changes, before.linked if before else linked)


def _write(name: str, texts: list[str] | None) -> None:
    address = _address()
    address.drawn.add(name)
    if texts is None:
        address.said.pop(name, None)
    else:
        address.said[name] = texts
        address.of_page.add(name)
