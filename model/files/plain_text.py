"""Text that a stranger wrote, so that it can be shown: nothing in it hides, turns or runs away."""

import unicodedata

_SHOWN = {" ": "␣", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽"}
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_MOST_MARKS = 3
"""Accents on one letter; more would grow over what stands around it."""


def plain(text: str, *, most: int = 1_000) -> str:
    """Write what is not seen as its code point, and cut what is longer than `most`."""
    cut = text[: most + 1]
    written: list[str] = []
    marks = 0
    for character in cut[:most]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        hidden = unicodedata.category(character) in _HIDDEN or marks > _MOST_MARKS
        written.append(escape(character) if hidden else character)
    return "".join(written) + ("…" if len(cut) > most else "")


def with_white_space(text: str, *, most: int) -> str:
    """Write the same with signs for spaces, tabs and ends of lines."""
    cut = text[: most + 1]
    shown = "".join(_SHOWN.get(c) or (escape(c) if c.isspace() else c) for c in cut[:most])
    return plain(shown) + ("…" if len(cut) > most else "")


def escape(character: str) -> str:
    """Write a character as its code point."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no text, as Python carries it
        return f"<0x{code - 0xDC00:02X}>"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
