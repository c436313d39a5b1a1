"""What is held of all that goes out: messages are sentences, HTML has nothing of the input."""

import json
import re
import unicodedata
from html.parser import HTMLParser

from qa.fuzz.area import HeldError
from qa.fuzz.hostile import MARK

_LONGEST = 6_000
"""Characters of a message."""
_NEVER = frozenset(
    {"iframe", "object", "embed", "base", "form", "frame", "portal", "applet", "template"}
)
_REACHING = frozenset({"href", "src", "action", "formaction", "xlink:href", "srcdoc", "poster"})
_LIVE_MARKDOWN = re.compile(rf"(?<!\\)\]\(\s*(?:https?:|javascript:)[^)]*{MARK}")


def check_text(text: str, where: str) -> None:
    """Hold that a text can be sent: no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = ord(text[error.start])
        raise HeldError(f"{where} has the lone surrogate U+{found:04X}") from None


def check_json(value: object, where: str) -> None:
    """Hold that values can be sent, and read by a browser."""
    check_text(json.dumps(value, ensure_ascii=False, allow_nan=False), where)


def check_message(error: object) -> None:
    """Hold that a refusal is a sentence that can be shown."""
    text = str(error)
    check_text(text, "a refusal")
    if len(text.split()) < 3 or len(text) > _LONGEST:
        raise HeldError(f"a refusal is no sentence: {text[:200]!r}")
    unseen = [c for c in text if unicodedata.category(c) == "Cc" and c != "\n"]
    if unseen or "Traceback" in text or "<class '" in text:
        raise HeldError(f"a refusal is not for people: {text[:200]!r}")


def check_markdown(text: str, where: str) -> None:
    """Hold that no link or picture of a Markdown text comes from the input."""
    check_text(text, where)
    if found := _LIVE_MARKDOWN.search(text):
        raise HeldError(f"{where} has a link out of the input: {found[0][:80]!r}")


def check_html(html: str, where: str, *, scripts: bool = False) -> None:
    """Hold that no element, attribute, comment or address of HTML comes from the input.

    Args:
        html: A page or a piece of one.
        where: What it is, for the message.
        scripts: Whether it may have scripts and frames of its own: a whole page for a file.
    """
    check_text(html, where)
    _Held(where, scripts=scripts).read(html)


class _Held(HTMLParser):
    """Reads HTML as a browser does, near enough to see what stands in it as markup."""

    def __init__(self, where: str, *, scripts: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._where, self._scripts = where, scripts

    def read(self, html: str) -> None:
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        never = _NEVER if self._scripts else _NEVER | {"script", "meta", "link"}
        if MARK in tag or tag in never:
            self._fail(f"the element <{tag}>")
        for name, value in attrs:
            address = (value or "").strip().lower()
            if MARK in name or name.startswith("on"):
                self._fail(f"the attribute {name}")
            if name in _REACHING and (
                address.startswith(("javascript:", "vbscript:"))
                or f"{MARK}.invalid" in address[:60]
            ):
                self._fail(f"the address {address[:60]}")

    def handle_comment(self, data: str) -> None:
        if MARK in data:
            self._fail("a comment")

    def handle_decl(self, decl: str) -> None:
        if MARK in decl:
            self._fail("a declaration")

    def unknown_decl(self, data: str) -> None:
        self.handle_decl(data)

    def handle_pi(self, data: str) -> None:
        self.handle_decl(data)

    def _fail(self, what: str) -> None:
        raise HeldError(f"{self._where} has {what} out of the input")
