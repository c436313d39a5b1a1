"""Reads the file of a lecture by the same rules as the app, `frame/browser/deck.js`.

A test gives both the same files, and compares their messages.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from model.files.durable import read_file
from texts import say, say_of
from texts.saying import all_texts

VERSION = 1
MOST = {
    **{"slides": 100, "answers": 6, "hands": 9_999, "title": 120, "notes": 4_000, "caption": 200},
    **{"question": 300, "answer": 80, "shows": 300, "panel": 80, "link": 8_000},
    **{"saved": 3_000_000, "picture": 1_000_000},
}
"""Limits for characters, slides, answers and raised hands."""
_LETTER_BYTES = 4
"""Most bytes of a character in UTF-8."""
_TEXTS = ("title", "notes", "caption", "question", "panel", "shows", "link", "picture")
_SLIDE_FIELDS = ("id", *_TEXTS, "answers", "hands")
_DECK_FIELDS = ("loupe", "version", "title", "slides")
_SHOWN = 60
"""Most characters of a wrong value in a message."""
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_REFUSED = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")

Fields = dict[str, Any]


class DeckError(ValueError):
    """A file is not a lecture; the message names the fault and its place."""


def read_deck(path: Path) -> Fields:
    """Read a lecture that the app has saved. Raises DeckError."""
    try:
        contents = read_file(path, most=MOST["saved"] * _LETTER_BYTES)
    except OSError:
        _refuse("no_file", file=_shown(str(path)))
    except ValueError:
        _refuse("too_long", most=MOST["saved"])
    deck = read_text(contents.decode("utf-8-sig", "replace"), _pages())
    if not deck["slides"]:
        _refuse("not_deck")
    return deck


def read_text(text: str, pages: tuple[str, ...] | None) -> Fields:
    """Read a lecture from its text; without `pages`, any page is accepted. Raises DeckError."""
    if _length(text) > MOST["saved"]:
        _refuse("too_long", most=MOST["saved"])
    try:
        found = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        _refuse("not_json", why=_shown(str(error)))
    if not isinstance(found, dict) or not isinstance(found.get("slides"), list):
        _refuse("not_deck")
    version = found.get("version")
    if version is not None and (isinstance(version, bool) or version != VERSION):
        _refuse("version", found=_shown(_json(version)))
    where = say("deck.deck")
    _refuse_unknown(where, found, _DECK_FIELDS)
    title = _text_of(where, found, "title") or say("deck.untitled")
    slides = [
        _read_slide(slide, say("deck.slide", place=place), pages)
        for place, slide in enumerate(_list_of(where, found, "slides", MOST["slides"]), 1)
    ]
    return {"loupe": "deck", "version": VERSION, "title": title, "slides": slides}


def _read_slide(found: object, where: str, pages: tuple[str, ...] | None) -> Fields:
    if not isinstance(found, dict) or found.get("link") in (None, "", 0):
        _refuse("no_link", where=where)
    _refuse_unknown(where, found, _SLIDE_FIELDS)
    slide: Fields = {name: _text_of(where, found, name) for name in _TEXTS}
    if (name := found.get("id", slide)) is not slide:
        if not isinstance(name, str) or not re.fullmatch("[a-z0-9]{1,24}", name):
            _refuse_value(where, "id", name)
        slide["id"] = name
    answers = _list_of(where, found, "answers", MOST["answers"])
    slide["answers"] = [_plain_text(where, "answers", one, MOST["answer"]) for one in answers]
    slide["hands"] = _read_hands(where, found, slide["answers"])
    if not re.fullmatch("[A-Za-z0-9_-]*", slide["panel"]):
        _refuse_value(where, "panel", slide["panel"])
    if slide["picture"] and not slide["picture"].startswith("<svg "):
        _refuse_value(where, "picture", slide["picture"])
    _check_link(where, slide["link"], pages)
    return {name: value for name, value in slide.items() if value}


def _read_hands(where: str, found: Mapping[str, Any], answers: list[str]) -> list[int | None]:
    hands = _list_of(where, found, "hands", MOST["answers"])
    if not all(map(_is_count, hands)) or len(hands) > max(1, len(answers)):
        _refuse_value(where, "hands", hands)
    return [hand if hand is None else int(hand) for hand in hands]


def _is_count(hand: Any) -> bool:  # noqa: ANN401
    if hand is None:
        return True
    is_number = isinstance(hand, (int, float)) and not isinstance(hand, bool)
    return is_number and hand == hand // 1 and 0 <= hand <= MOST["hands"]


def _check_link(where: str, link: str, pages: tuple[str, ...] | None) -> None:
    page = link.partition("?")[0]
    if not re.fullmatch("[a-z0-9_-]{1,40}", page) or "#" in link:
        _refuse("link", where=where, link=_shown(link))
    if pages is not None and page not in pages:
        _refuse("page", where=where, page=page, pages=", ".join(pages))


def _refuse_unknown(where: str, found: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in found:
        if name not in known:
            _refuse("unknown", where=where, name=_shown(name), known=", ".join(known))


def _text_of(where: str, found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    return _plain_text(where, name, "" if value is None else value, MOST[name])


def _plain_text(where: str, name: str, value: object, most: int) -> str:
    if not isinstance(value, str):
        _refuse_value(where, name, value)
    if _length(value) > most:
        _refuse("most", where=where, name=name, most=most)
    if _REFUSED.search(value):
        _refuse_value(where, name, value)
    return _whole(value)


def _list_of(where: str, found: Mapping[str, Any], name: str, most: int) -> list[Any]:
    value = found.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        _refuse_value(where, name, value)
    if len(value) > most:
        _refuse("most", where=where, name=name, most=most)
    return value


def _refuse_value(where: str, name: str, value: object) -> NoReturn:
    _refuse("value", where=where, name=name, value=_shown(_json(value)))


def _refuse(fault: str, /, **values: object) -> NoReturn:
    raise DeckError(say_of("deck.fault", fault, **values))


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


def _pages() -> tuple[str, ...]:
    return tuple(key.removeprefix("page.") for key in all_texts("en") if key.startswith("page."))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _length(text: str) -> int:
    """Count the characters of a text as the browser does, where some count twice."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def _shown(text: str) -> str:
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * _SHOWN]
    short = f"{units.decode('utf-16-le', 'surrogatepass')}…" if _length(text) > _SHOWN else text
    return _UNSEEN.sub("□", _whole(short))


def _whole(text: str) -> str:
    """Replace lone surrogates, which no file can hold, by a mark."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)
