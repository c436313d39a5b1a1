"""The address: what a link says, read once, and written from what the session has since.

A browser asks for each run with the address that it shows, which may be older than the session. So
an address is read where a session arrives by it and where the browser goes back or forward; in all
other runs the session knows better, and tells the browser the whole address when the run ends.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from math import isfinite
from typing import Any, NamedTuple, ParamSpec

import streamlit as st

from texts import LANGUAGES, speaking
from viz.work.visit import is_part, is_returned, until_gone

Value = Any
"""What a field holds: a text, a number, a choice or several."""
Says = Callable[[Value], str]
"""What a reader is shown of an option."""
_Drawn = ParamSpec("_Drawn")
_KEY = "address"
_LONGEST_NUMBER = 40
_NOTHING = [""]
"""What a link has of a field for several options of which none is chosen."""


class _Field(NamedTuple):
    """What stands usually in a field, and what can."""

    usual: Value
    options: list[Value] | None
    within: tuple[Value, Value] | None


@dataclass
class _Address:
    """What this session knows of its parameters."""

    said: dict[str, list[str]]
    """Texts by name, also of pages that are not in view; what is as usual has none."""
    taken: set[str] = field(default_factory=set)
    """Names that were read since a link said something of them."""
    fields: dict[str, _Field] = field(default_factory=dict)
    """Each field as it was drawn last."""
    drawn: set[str] = field(default_factory=set)
    """Names that the run that goes on has read or written."""
    of_frame: set[str] = field(default_factory=set)
    of_page: set[str] = field(default_factory=set)
    """Names of the last whole run: the address holds these, and no others."""
    by_page: set[str] | None = None
    """Names of the page that the whole run that goes on has drawn."""
    says_all: bool = False
    """Whether what it lacks is as usual: a session may have been set up before its first link."""
    is_told: bool = False


def follow() -> None:
    """Take what the address says where it is news; to be called as a run of the script begins."""
    known: _Address | None = st.session_state.get(_KEY)
    if known is None or is_returned():
        texts = {name: st.query_params.get_all(name) for name in st.query_params}
        back = known is not None
        st.session_state[_KEY] = _Address(texts, says_all=back, is_told=back)
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


def put(name: str, text: str | None) -> None:
    """Write a parameter; None takes it out."""
    _write(name, None if text is None else [text])


def open_link(query: Mapping[str, str | None]) -> None:
    """Take these parameters as if a link had said them, or nothing of them: all else follows."""
    address = _address()
    for name, text in query.items():
        put(name, text)
        address.taken.discard(name)
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
    what is usual. What cannot be in the field is as usual.

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
    now = _Field(usual, None if options is None else [*options], within)
    before = address.fields.get(name)
    texts = [text[:longest] for text in address.said.get(name, ())] or None
    if name not in state or (is_unread(name) and (texts is not None or address.says_all)):
        value = usual if texts is None else _read(texts, now, says)
    elif texts is None and before and state[name] == before.usual:
        value = usual
    else:
        value = _fitting(state[name], now)
    if name not in state or state[name] != value or now != before:  # else it would be another field
        state[name] = value
    address.taken.add(name)
    address.fields[name] = now
    _write(name, None if value == usual else _text(value))
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
        end_part()

    return draw


def end_part() -> None:
    """Tell the browser the address where a part of a page has run by itself."""
    if is_part():
        tell()


def _address() -> _Address:
    if _KEY not in st.session_state:
        follow()
    return st.session_state[_KEY]


def _write(name: str, texts: list[str] | None) -> None:
    address = _address()
    address.drawn.add(name)
    if texts is None:
        address.said.pop(name, None)
    else:
        address.said[name] = texts
        address.of_page.add(name)


def _fitting(value: Value, there: _Field) -> Value:
    """Return what a field can hold of what was in it: options that are left, the nearest number."""
    usual, options, within = there
    if options is not None:
        chosen = value if isinstance(usual, list) else [value]
        return value if all(one in options for one in chosen) else usual
    if within is None:
        return value if isinstance(value, type(usual)) else usual
    return None if value is None else max(within[0], min(value, within[1]))


def _read(texts: Sequence[str], there: _Field, says: Says | None) -> Value:
    """Read what a link says of a field; what cannot be read is as usual."""
    usual, options, within = there
    if options is not None:
        chosen = [one for one in options if is_among(texts, one, says)]
        if isinstance(usual, list):
            return chosen if chosen or texts == _NOTHING else usual
        return chosen[0] if chosen else usual
    if within is not None:
        return _number(texts[-1], usual, *within)
    if isinstance(usual, bool):
        return {"true": True, "false": False}.get(texts[-1].lower(), usual)
    return texts[-1]


def _number(text: str, usual: Value, least: Value, most: Value) -> Value:
    try:
        number = float(text[:_LONGEST_NUMBER])
    except ValueError:
        return usual
    return max(least, min(type(least)(number), most)) if isfinite(number) else usual


def is_among(texts: Sequence[str], option: Value, says: Says | None) -> bool:
    """Return whether a link names an option: by itself, or as any language calls it."""
    if str(option) in texts:
        return True
    for each in LANGUAGES if says else ():
        with speaking(each):
            if says and says(option) in texts:
                return True
    return False


def _text(value: Value) -> list[str]:
    match value:
        case bool():
            return [str(value).lower()]
        case [*chosen]:
            return [str(one) for one in chosen] or _NOTHING
        case float() if value.is_integer():
            return [str(int(value))]
        case _:
            return [str(value)]
