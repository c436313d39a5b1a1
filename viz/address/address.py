"""The address: what a link says, read once, and written from what the session has since.

A browser asks for each run with the address that it shows, which may be older than the session. So
an address is read where a session arrives by it and where the browser goes back or forward; in all
other runs the session knows better, and tells the browser the whole address when the run ends.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import NamedTuple, ParamSpec

import streamlit as st

from viz.address.field_values import Field, Says, Value, fitting, read, written_value
from viz.work.visit import is_part, is_returned, until_gone

_Drawn = ParamSpec("_Drawn")
_KEY, RETURNS = "address", "returns"  # the latter counts the ways back and forward
TEXTS = ("checkpoint", "source", "target")
"""The fields whose model and texts are run: a cell in a link is of these, and so are positions."""


class _Changed(NamedTuple):
    """A field that a person has changed since a link gave it something."""

    number: int
    """The number of its latest change, counted over all fields."""
    linked: Value
    """Its value by the link, or before the first change if the link left it alone."""


@dataclass
class _Address:
    """What this session knows of its parameters."""

    said: dict[str, list[str]]
    """Texts by name, also of pages that are not in view; what is as usual has none."""
    taken: set[str] = field(default_factory=set)
    """Names that were read since a link said something of them."""
    fields: dict[str, Field] = field(default_factory=dict)
    """Each field as it was drawn last."""
    drawn: set[str] = field(default_factory=set)
    """Names that the run that goes on has read or written."""
    of_frame: set[str] = field(default_factory=set)
    of_page: set[str] = field(default_factory=set)
    """Names of the last whole run: the address holds these, and no others."""
    by_page: set[str] | None = None
    """Names of the page that the whole run that goes on has drawn."""
    held: dict[str, Value] = field(default_factory=dict)
    """By name, the value of each field when it was last seen: a person has made any other."""
    changed: dict[str, _Changed] = field(default_factory=dict)
    """Fields that a person has changed since."""
    changes: int = 0
    """How often a person has changed a field."""
    opened: dict[str, int] = field(default_factory=dict)
    """By name, how many changes came before a link within the app said it."""
    says_all: bool = False
    """Whether what it lacks is as usual: a session may have been set up before its first link."""
    is_told: bool = False


def follow() -> None:
    """Take what the address says where it is news; to be called as a run of the script begins."""
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
    """Return what the link says by a name; None where it says nothing."""
    address = _address()
    address.drawn.add(name)
    texts = address.said.get(name)
    return texts[-1] if texts else None


def is_news(*names: str) -> bool:
    """Tell, once, whether a link was opened and one of these names not read since."""
    unread = is_unread(*names)
    _address().taken.update(names)
    return unread


def is_unread(*names: str) -> bool:
    """Return whether a link was opened and one of these names not read since."""
    return not _address().taken.issuperset(names)


def linked_value(name: str, now: Value, *, since: Iterable[str]) -> Value:
    """Return the value of a field when a link was opened that said something of these names.

    It is the value now, unless a person has changed the field since. That can be long before the
    link is read: its run can be stopped, and not every page reads all of a link.
    """
    address = _address()
    opened = max(address.opened.get(each, 0) for each in since)
    changed = address.changed.get(name)
    return changed.linked if changed and changed.number > opened else now


def is_as_linked(*names: str, since: Iterable[str]) -> bool:
    """Return whether these fields have the values of the moment when a link said other names."""
    held = {name: value for name, value in _address().held.items() if name in names}
    return all(linked_value(name, now, since=since) == now for name, now in held.items())


def put(name: str, text: str | None) -> None:
    """Write a parameter; None takes it out."""
    _write(name, None if text is None else [text])


def open_link(query: Mapping[str, str | None]) -> None:
    """Take these parameters as if a link had said them, or nothing of them: all else follows."""
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
    """Let a field have what the link says, and the link what stands in the field; return its key.

    The field is to be drawn with this key and without a value of its own. What nobody chose follows
    what is usual. What cannot be in the field is as usual. A person who changes the field before
    the link is read has it as they want it.

    Args:
        name: Of the parameter, and key of the field.
        usual: What stands there where no link says otherwise; a list in a field for several.
        options: What can be chosen, where that is a list.
        says: What the reader is shown of an option: links of old have that, in any language.
        within: The least and the most of a number.
        longest: Characters of a text, where what a link has beyond them is cut.
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
    if name not in state or state[name] != value or now != before:  # else it would be another field
        state[name] = value
    address.taken.add(name)
    address.fields[name], address.held[name] = now, value
    _write(name, None if value == usual else written_value(value))
    return name


def written() -> dict[str, str | list[str]]:
    """Return the parameters that the address has to hold, by name."""
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
    """Send the browser what this whole run has read and written, and nothing else.

    Not in a session's first run: that would add an entry to the browser's history, since the code
    that keeps it from that comes only with the first page.
    """
    address = _address()
    address.of_frame, address.of_page = address.drawn, address.by_page or set()
    if address.is_told:
        tell()
    address.is_told = True


def page_part(render: Callable[_Drawn, None]) -> Callable[_Drawn, None]:
    """Make a page that is drawn again by itself, with the parameters that it has then."""

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
