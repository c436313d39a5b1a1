"""Displays the tokens of a third-party tokenizer: as readable text, with signs for white space."""

import re

import tokenizers

from model.files.plain_text import plain, with_white_space

LONGEST_TOKEN = 40
"""The largest number of characters displayed of a token."""
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_SPACE_SIGN = "\u2581"


def shown_token(raw: str, *, is_added: bool, has_bytes: bool) -> str:
    """Return a token as it is displayed.

    Args:
        raw: The token in the vocabulary.
        is_added: Whether it was added to the vocabulary, so that it is plain text.
        has_bytes: Whether the letters of all other tokens stand for bytes.
    """
    if is_added:
        return plain(raw, most=LONGEST_TOKEN) or "⟨⟩"
    if has_bytes:
        return _from_bytes(raw)
    byte = _BYTE.fullmatch(raw)
    text = chr(int(byte[1], 16)) if byte and int(byte[1], 16) < 128 else raw
    return with_white_space(text.replace(_SPACE_SIGN, " "), most=LONGEST_TOKEN) or "⟨⟩"


def has_bytes(rules: tokenizers.Tokenizer) -> bool:
    """Return whether the letters of a tokenizer's tokens stand for bytes, as GPT-2's do."""
    parts = (rules.pre_tokenizer, rules.decoder)
    return any(part is not None and b'"ByteLevel"' in part.__getstate__() for part in parts)


def _byte_table() -> dict[str, int]:
    """Return GPT-2's letters for bytes (Radford et al. 2019); printable bytes are unchanged."""
    plain_bytes = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain_bytes]
    return {chr(b): b for b in plain_bytes} | {chr(256 + i): b for i, b in enumerate(others)}


_BYTES = _byte_table()


def _from_bytes(raw: str) -> str:
    """Display a token whose letters stand for bytes: as text if possible, else as bytes."""
    letters = raw[: 4 * LONGEST_TOKEN]
    if not letters or any(letter not in _BYTES for letter in letters):
        return plain(raw, most=LONGEST_TOKEN) or "⟨⟩"
    text = bytes(_BYTES[letter] for letter in letters).decode("utf-8", errors="surrogateescape")
    return with_white_space(text, most=LONGEST_TOKEN)
