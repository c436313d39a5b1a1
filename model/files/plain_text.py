"""Makes untrusted text safe to show: without hidden, reordering or overlong parts."""

import unicodedata

_SHOWN = {" ": "␣", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽"}
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_MOST_MARKS = 3
"""The largest number of accents on a letter; more would cover the text around it."""


def plain(text: str, *, most: int = 1_000) -> str:
    """Write invisible characters as code points, and cut text longer than `most`."""
    cut = text[: most + 1]
    written: list[str] = []
    marks = 0
    for character in cut[:most]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        hidden = unicodedata.category(character) in _HIDDEN or marks > _MOST_MARKS
        written.append(escape(character) if hidden else character)
    return "".join(written) + ("…" if len(cut) > most else "")


def with_white_space(text: str, *, most: int) -> str:
    """Write text in the same way, with signs for spaces, tabs and line ends."""
    cut = text[: most + 1]
    shown = "".join(_SHOWN.get(c) or (escape(c) if c.isspace() else c) for c in cut[:most])
    return plain(shown) + ("…" if len(cut) > most else "")


def escape(character: str) -> str:
    """Write a character as its code point."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # an undecodable byte, as Python escapes it
        return f"<0x{code - 0xDC00:02X}>"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
