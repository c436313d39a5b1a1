"""Expands English contractions: "doesn't" becomes "does" and "not"."""

import re

from model.text.piece import Piece

_CONTRACTION = re.compile(
    r"(?P<can>can)(?:'t|not)|(?P<stem>\w+)n't|(?P<subject>i|you|he|she|it|we|they)'(?P<verb>\w+)",
    re.IGNORECASE | re.ASCII,
)
_SPOKEN = re.compile(
    r"(?:(?P<that>that|there|here|what|where|who|how|when|why)'s"
    r"|(?P<subject>i|you|he|she|it|we|they)'d|(?P<let>let)'s)",
    re.IGNORECASE | re.ASCII,
)
_SAID_IN_FULL = {"that": "is", "subject": "would", "let": "us"}
_FULL_STEMS = {"wo": "will", "sha": "shall"}
_FULL_VERBS = {"m": "am", "re": "are", "s": "is", "ve": "have", "ll": "will"}


def contraction(word: Piece) -> list[Piece]:
    """Expand an English contraction: "doesn't" to "does" and "not". Return no words for others."""
    match = _CONTRACTION.fullmatch(word.text)
    if match is None:
        return []
    first = match["stem"] or match["can"] or match["subject"]
    head, tail = word.part(0, len(first)), word.part(len(first), len(word.text))
    if match["subject"] is None:
        full_stem = _FULL_STEMS.get(first.lower())
        return [head.rewritten(full_stem) if full_stem else head, tail.rewritten("not")]
    full_verb = _FULL_VERBS.get(match["verb"].lower())
    return [head, tail.rewritten(full_verb)] if full_verb else []


def spoken(word: Piece) -> list[Piece]:
    """Expand "that's", "I'd" and "let's". Return no words for others."""
    match = _SPOKEN.fullmatch(word.text)
    if match is None or match.lastgroup is None:
        return []
    end = match.end(match.lastgroup)
    tail = word.part(end, len(word.text)).rewritten(_SAID_IN_FULL[match.lastgroup])
    return [word.part(0, end), tail]
