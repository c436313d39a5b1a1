"""What tokens have in common: the groups that a picture colours."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from model.checkpoint import CheckpointInfo
from sample_data.tasks import TASKS
from viz.subjects.embeddings.points import Side

SPECIAL = "special"
PART_OF_SPEECH = "Part of speech"
KIND = "Kind of token"
TEXT = "Text"
FREQUENCY = "Frequency"
LENGTH = "Length"

_KINDS = ("word", "letter", "digit", "number", "punctuation", "space", SPECIAL)
_RANKS = (10, 50, 200, 500)
_LENGTHS = (1, 3, 6, 9)
_OTHER = "other"


@dataclass(frozen=True)
class Groups:
    """The group of each token, by one criterion."""

    of: tuple[str, ...]
    """One for each token."""
    names: tuple[str, ...]
    """Those that occur, in the order of the legend."""
    ordered: bool
    """Whether they go from less to more."""


def criteria(info: CheckpointInfo, side: Side) -> tuple[str, ...]:
    """List what the tokens of one side can be grouped by, the most telling first."""
    task = TASKS.get(info.task)
    found = [KIND, LENGTH]
    if getattr(info.tokenizers, side).kind != "bpe":  # whose ids are in the order of learning
        found.insert(1, FREQUENCY)
    tokenizers = info.tokenizers
    if tokenizers.shared and len(tokenizers.source.vocabulary) < len(tokenizers.target.vocabulary):
        found.insert(1, TEXT)
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
    if criterion == FREQUENCY:
        ranks = [i - sum(special < i for special in specials) + 1 for i in ids]
        return _in_ranges(ranks, ids, _RANKS, "rank", specials)
    if criterion == LENGTH:
        return _in_ranges([len(token) for token in tokens], ids, _LENGTHS, "length", specials)
    kinds = [
        SPECIAL if i in specials else _kind(token) for token, i in zip(tokens, ids, strict=True)
    ]
    return Groups(tuple(kinds), tuple(kind for kind in _KINDS if kind in kinds), ordered=False)


def _specials(info: CheckpointInfo, side: Side) -> frozenset[int]:
    return getattr(info.tokenizers, side).specials.all


def _parts_of_speech(
    info: CheckpointInfo, side: Side, tokens: Sequence[str], ids: Sequence[int]
) -> list[str]:
    """Look words up on their own side first; where both share ids, then on the other."""
    known = TASKS[info.task].word_classes
    lookups = [known().source, known().target] if known else [{}, {}]
    if side == "target":
        lookups.reverse()
    if not info.tokenizers.shared:
        del lookups[1:]
    merged = {word: name for lookup in reversed(lookups) for word, name in lookup.items()}
    return [
        SPECIAL if i in _specials(info, side) else merged.get(token, _OTHER)
        for token, i in zip(tokens, ids, strict=True)
    ]


def _texts(info: CheckpointInfo, ids: Sequence[int]) -> list[str]:
    """State in which texts the tokens of a shared id space were seen, in training."""
    task = TASKS.get(info.task)
    languages = (task.source_language, task.target_language) if task else ("source", "target")
    in_source = set(info.tokenizers.source.vocabulary.values())
    return [
        SPECIAL
        if i in _specials(info, "source")
        else f"in {languages[0]} texts"
        if i in in_source
        else f"in {languages[1]} texts only"
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
    names = sorted(set(of), key=lambda name: (name == SPECIAL, -of.count(name), name))
    return Groups(tuple(of), tuple(names), ordered=False)


def _in_ranges(
    values: Sequence[int],
    ids: Sequence[int],
    bounds: Sequence[int],
    prefix: str,
    specials: frozenset[int],
) -> Groups:
    """Group numbers by the ranges that end at the bounds; special tokens stay apart."""
    starts = [1, *(bound + 1 for bound in bounds)]
    ranges = list(zip(starts, [*bounds, max(*values, *starts)], strict=True))
    names = [
        f"{prefix} {low}" if low == high else f"{prefix} {low} to {high}" for low, high in ranges
    ]
    of = [
        SPECIAL
        if i in specials
        else next(name for name, (_, high) in zip(names, ranges, strict=True) if value <= high)
        for value, i in zip(values, ids, strict=True)
    ]
    used = tuple(name for name in (*names, SPECIAL) if name in of)
    return Groups(tuple(of), used, ordered=True)
