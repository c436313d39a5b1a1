"""What tokens have in common: the groups that a picture colours."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from model.checkpoints.checkpoint import CheckpointInfo
from sample_data.tasks import TASKS, task_languages
from texts import named, say, say_of
from viz.subjects.embeddings.points import Side

SPECIAL = "special"
PART_OF_SPEECH = "part_of_speech"
KIND = "kind"
TEXT = "text"

_KINDS = ("word", "letter", "digit", "number", "punctuation", "space", SPECIAL)
_OTHER = "other"


@dataclass(frozen=True)
class Groups:
    """The group of each token, by one criterion."""

    of: tuple[str, ...]
    """One for each token, as the reader calls it."""
    names: tuple[str, ...]
    """Those that occur, in the order of the legend."""


def criteria(info: CheckpointInfo) -> tuple[str, ...]:
    """List what the tokens can be grouped by, the most telling first."""
    task = TASKS.get(info.task)
    found = [KIND]
    tokenizers = info.tokenizers
    if tokenizers.shared and len(tokenizers.source.vocabulary) < len(tokenizers.target.vocabulary):
        found.append(TEXT)
    if task and task.word_classes:
        found.insert(0, PART_OF_SPEECH)
    return tuple(found)


def group(
    info: CheckpointInfo, side: Side, tokens: Sequence[str], ids: Sequence[int], criterion: str
) -> Groups:
    """Group tokens by one of the criteria."""
    if criterion == PART_OF_SPEECH:
        return _by_size(_parts_of_speech(info, side, tokens, ids))
    if criterion == TEXT:
        return _by_size(_texts(info, ids))
    specials = _specials(info, side)
    kinds = [
        SPECIAL if i in specials else _kind(token) for token, i in zip(tokens, ids, strict=True)
    ]
    names = {kind: say_of("embeddings.group", kind) for kind in _KINDS if kind in kinds}
    return Groups(tuple(names[kind] for kind in kinds), tuple(names.values()))


def _specials(info: CheckpointInfo, side: Side) -> frozenset[int]:
    return getattr(info.tokenizers, side).specials.all


def _parts_of_speech(
    info: CheckpointInfo, side: Side, tokens: Sequence[str], ids: Sequence[int]
) -> list[str]:
    """Look words up on their own side first; where both share ids, then on the other."""
    known, specials = TASKS[info.task].word_classes, _specials(info, side)
    lookups = [known().source, known().target] if known else [{}, {}]
    if side == "target":
        lookups.reverse()
    if not info.tokenizers.shared:
        del lookups[1:]
    merged = {word: name for lookup in reversed(lookups) for word, name in lookup.items()}
    return [
        say_of("embeddings.group", SPECIAL if i in specials else merged.get(token, _OTHER))
        for token, i in zip(tokens, ids, strict=True)
    ]


def _texts(info: CheckpointInfo, ids: Sequence[int]) -> list[str]:
    """State in which texts the tokens of a shared id space were seen, in training."""
    languages = [named("side", side) or side for side in task_languages(info.task)]
    in_source = set(info.tokenizers.source.vocabulary.values())
    specials = _specials(info, "source")
    return [
        say("embeddings.group.special")
        if i in specials
        else say("embeddings.in_texts", language=languages[0])
        if i in in_source
        else say("embeddings.in_texts_only", language=languages[1])
        for i in ids
    ]


def _kind(token: str) -> str:
    if token == "␣":
        return "space"
    if token.isnumeric():
        return "digit" if len(token) == 1 else "number"
    if not any(unicodedata.category(c)[0] in "LMN" for c in token):
        return "punctuation"
    return "letter" if len(token) == 1 else "word"


def _by_size(of: Sequence[str]) -> Groups:
    """Order groups by how many tokens they have; special tokens come last."""
    special = say("embeddings.group.special")
    names = sorted(set(of), key=lambda name: (name == special, -of.count(name), name))
    return Groups(tuple(of), tuple(names))
