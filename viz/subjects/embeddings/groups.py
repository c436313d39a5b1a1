"""What tokens have in common: the groups that a picture colours."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from model.checkpoints.checkpoint import CheckpointInfo
from sample_data.tasks import TASKS, task_languages
from texts import named, say, say_of
from viz.subjects.embeddings.points import Side

SPECIAL = "special"
PART_OF_SPEECH = "part_of_speech"
KIND = "kind"
TEXT = "text"
FREQUENCY = "frequency"
LENGTH = "length"

_KINDS = ("word", "letter", "digit", "number", "punctuation", "space", SPECIAL)
_RANKS = (10, 50, 200, 500)
_LENGTHS = (1, 3, 6, 9)
_OTHER = "other"


@dataclass(frozen=True)
class Groups:
    """The group of each token, by one criterion."""

    of: tuple[str, ...]
    """One for each token, as the reader calls it."""
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
        return _in_ranges(ranks, ids, _ranges(_RANKS, ranks), _rank_name, specials)
    if criterion == LENGTH:
        lengths = [len(token) for token in tokens]
        return _in_ranges(lengths, ids, _ranges(_LENGTHS, lengths), _length_name, specials)
    kinds = [
        SPECIAL if i in specials else _kind(token) for token, i in zip(tokens, ids, strict=True)
    ]
    names = {kind: say_of("embeddings.group", kind) for kind in _KINDS if kind in kinds}
    return Groups(tuple(names[kind] for kind in kinds), tuple(names.values()), ordered=False)


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
    return Groups(tuple(of), tuple(names), ordered=False)


def _ranges(bounds: Sequence[int], values: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ranges that end at the bounds, and the one of what is above them all."""
    starts = [1, *(bound + 1 for bound in bounds)]
    return list(zip(starts, [*bounds, max(*values, *starts)], strict=True))


def _rank_name(low: int, high: int) -> str:
    return say("embeddings.rank" if low == high else "embeddings.ranks", low=low, high=high)


def _length_name(low: int, high: int) -> str:
    return say("embeddings.length" if low == high else "embeddings.lengths", low=low, high=high)


def _in_ranges(
    values: Sequence[int],
    ids: Sequence[int],
    ranges: Sequence[tuple[int, int]],
    name_of: Callable[[int, int], str],
    specials: frozenset[int],
) -> Groups:
    """Group numbers by ranges; special tokens stay apart."""
    names = [name_of(low, high) for low, high in ranges]
    special = say("embeddings.group.special")
    of = [
        special
        if i in specials
        else next(name for name, (_, high) in zip(names, ranges, strict=True) if value <= high)
        for value, i in zip(values, ids, strict=True)
    ]
    used = tuple(name for name in (*names, special) if name in of)
    return Groups(tuple(of), used, ordered=True)
