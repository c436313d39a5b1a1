"""Checks of everything that goes out: messages are sentences, HTML has no markup of the input."""

import json
import re
import unicodedata
from html.parser import HTMLParser

from qa.fuzz.area import HeldError, hold
from qa.fuzz.hostile import MARK

_LONGEST = 6_000
"""The largest number of characters of a message."""
_NEVER = frozenset(
    {"iframe", "object", "embed", "base", "form", "frame", "portal", "applet", "template"}
)
_REACHING = frozenset({"href", "src", "action", "formaction", "xlink:href", "srcdoc", "poster"})
_LIVE_MARKDOWN = re.compile(rf"(?<!\\)\]\(\s*(?:https?:|javascript:)[^)]*{MARK}")


def check_text(text: str, where: str) -> None:
    """Check that a text can be sent: it has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = ord(text[error.start])
        raise HeldError(f"{where} has the lone surrogate U+{found:04X}") from None


def check_json(value: object, where: str) -> None:
    """Check that values can be sent, and read by a browser."""
    check_text(json.dumps(value, ensure_ascii=False, allow_nan=False), where)


def check_message(error: object) -> None:
    """Check that a refusal is a sentence that can be shown."""
    text = str(error)
    check_text(text, "a refusal")
    is_sentence = len(text.split()) >= 3 and len(text) <= _LONGEST
    hold(is_sentence, f"a refusal is not a sentence: {text[:200]!r}")
    unseen = any(unicodedata.category(c) == "Cc" and c != "\n" for c in text)
    odd = unseen or "Traceback" in text or "<class '" in text
    hold(not odd, f"a refusal is not for people: {text[:200]!r}")


def check_markdown(text: str, where: str) -> None:
    """Check that no link or picture of a Markdown text comes from the input."""
    check_text(text, where)
    if found := _LIVE_MARKDOWN.search(text):
        raise HeldError(f"{where} has a link from the input: {found[0][:80]!r}")


def check_html(html: str, where: str, *, scripts: bool = False) -> None:
    """Check that no element, attribute, comment or address of HTML comes from the input.

    A whole page, for a file, may have `scripts` of its own.
    """
    check_text(html, where)
    held = _Held(where, _NEVER if scripts else _NEVER | {"script", "meta", "link"})
    held.feed(html)
    held.close()


class _Held(HTMLParser):
    """Reads HTML closely enough like a browser to see which parts are markup."""

    def __init__(self, where: str, never: frozenset[str]) -> None:
        super().__init__()
        self._where, self._never = where, never

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hold(MARK not in tag and tag not in self._never, f"the element <{tag}>")
        for name, value in attrs:
            address = (value or "").strip().lower()
            live = address.startswith(("javascript:", "vbscript:"))
            live = live or f"{MARK}.invalid" in address[:60]
            self._hold(MARK not in name and not name.startswith("on"), f"the attribute {name}")
            self._hold(not live or name not in _REACHING, f"the address {address[:60]}")

    def handle_comment(self, data: str) -> None:
        self._hold(MARK not in data, "a comment or declaration")

    handle_decl = unknown_decl = handle_pi = handle_comment

    def _hold(self, is_so: bool, what: str) -> None:
        hold(is_so, f"{self._where} has {what} from the input")
