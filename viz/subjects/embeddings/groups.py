"""The groups of tokens that a picture colours."""

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sample_data.classes import CONTENT_CLASSES
from viz.heads.head_roles import word_classes
from viz.subjects.embeddings.points import Side

if TYPE_CHECKING:  # only for types
    from model.checkpoints.metadata import CheckpointInfo

SPECIAL = "special"
CLASSES = ("le", "la", "noun", "verb", "adjective", "adverb", "small")
"""Nouns by the gender that French gives them, and other words by their part of speech."""
KINDS = ("word", "letter", "digit", "number", "punctuation", "space")
"""Groups by the characters of a token, for texts whose words have no known classes."""


def group(
    info: "CheckpointInfo", side: Side, tokens: Sequence[str], ids: Sequence[int]
) -> tuple[str, ...]:
    """Return the group of each token: its class if the task knows it, and else its kind."""
    known = word_classes(info)
    classes, nouns = getattr(known, side), getattr(known, f"{side}_nouns")
    specials = getattr(info.tokenizers, side).specials.all

    def of(token: str, number: int) -> str:
        if number in specials:
            return SPECIAL
        if not classes:
            return _kind(token)
        if token in nouns:
            return "la" if nouns[token].form.is_feminine else "le"
        part = classes.get(token)
        return part if part in CLASSES else "small"

    return tuple(of(token, number) for token, number in zip(tokens, ids, strict=True))


def content_tokens(info: "CheckpointInfo", side: Side, tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the content tokens of a text, each once; without known classes, its words."""
    classes = getattr(word_classes(info), side)
    if classes:
        found = [token for token in tokens if classes.get(token) in CONTENT_CLASSES]
    else:
        found = [token for token in tokens if _kind(token) == "word"]
    return tuple(dict.fromkeys(found))


def _kind(token: str) -> str:
    if token == "␣":
        return "space"
    if token.isnumeric():
        return "digit" if len(token) == 1 else "number"
    if not any(unicodedata.category(c)[0] in "LMN" for c in token):
        return "punctuation"
    return "letter" if len(token) == 1 else "word"
