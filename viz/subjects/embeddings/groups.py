"""What tokens have in common: the groups that a picture colours."""

import unicodedata
from collections.abc import Sequence

from model.checkpoints.checkpoint import CheckpointInfo
from sample_data.tasks import CONTENT_CLASSES
from viz.run.head_roles import word_classes
from viz.subjects.embeddings.points import Side

SPECIAL = "special"
MEANINGS = (
    *("person", "animal", "food", "place", "thing", "verb", "adjective", "adverb"),
    *("clothes", "body", "nature", "vehicle", "time", "idea", "noun", "small"),
)
"""What words mean, roughly; of those that are no nouns, what part of speech they are."""
KINDS = ("word", "letter", "digit", "number", "punctuation", "space")
"""What tokens are made of, where nothing is known of words."""


def group(
    info: CheckpointInfo, side: Side, tokens: Sequence[str], ids: Sequence[int]
) -> tuple[str, ...]:
    """Return the group of each token: what it means where the task knows, else its kind."""
    known = word_classes(info)
    classes = getattr(known, side)
    meanings = getattr(known, f"{side}_meanings")
    specials = getattr(info.tokenizers, side).specials.all

    def of(token: str, number: int) -> str:
        if number in specials:
            return SPECIAL
        if not classes:
            return _kind(token)
        part = classes.get(token)
        if part == "noun":
            return meanings.get(token, "noun")
        return part if part in MEANINGS else "small"

    return tuple(of(token, number) for token, number in zip(tokens, ids, strict=True))


def content_tokens(info: CheckpointInfo, side: Side, tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens of a text that carry meaning, each once; where nothing is known, words."""
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
