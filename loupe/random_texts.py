"""Makes texts of random tokens, repeated: only the repetition can be predicted."""

from collections.abc import Mapping, Sequence

import torch

from loupe.native import Reading
from loupe.records import Tokens
from loupe.runners import Runner
from model.attribution.repeated_tokens import draw_repeated
from model.config import Side

USUAL = 50
"""The number of random tokens in a text, which then repeats them."""
SHORTER = (25, 12, 6)
"""Lengths to try if a model has no room for the usual one."""


def repeated(
    runner: Runner,
    length: int | None,
    count: int,
    seed: int,
    vocabulary: int | Sequence[int] | None,
) -> list[Reading]:
    """Make texts of a start token and random tokens, which are then repeated once.

    Raises ValueError if the vocabulary is too small, or the model lacks room for the length.
    """
    sides = runner.sides
    starts: dict[Side, tuple[int, ...]] = {side: runner.before(side) for side in sides}
    room = runner.room
    most = None if room is None else (room - max(map(len, starts.values()))) // 2
    if length is None:
        length = USUAL if most is None else min(USUAL, most)
    elif most is not None and length > most:
        raise ValueError(f"length must be at most {most}, as the model reads {room} tokens")
    ids: dict[Side, list[int]] = {side: _drawn_from(runner, side, vocabulary) for side in sides}
    length = min(length, *(len(each) for each in ids.values()))
    draw = torch.Generator().manual_seed(seed)
    return [_text(ids, starts, length, draw) for _ in range(count)]


def _text(
    ids: Mapping[Side, list[int]],
    starts: Mapping[Side, tuple[int, ...]],
    length: int,
    draw: torch.Generator,
) -> Reading:
    texts: dict[Side, tuple[int, ...]] = {}
    for side, each in ids.items():
        texts[side] = (*starts[side], *draw_repeated(each, length, draw))
    source, rows = texts.get("source"), texts.get("target")
    # No row reads the token that the last row of a translator writes.
    written = (*rows, rows[-1]) if source and rows else rows
    return Reading(source, written, Tokens((), ()), "", is_given=True)


def _drawn_from(runner: Runner, side: Side, vocabulary: int | Sequence[int] | None) -> list[int]:
    if vocabulary is None:
        vocabulary = runner.vocabulary(side)
    given = range(vocabulary) if isinstance(vocabulary, int) else vocabulary
    special = runner.specials
    ids = [id for id in dict.fromkeys(given) if id not in special]
    if len(ids) < 2:
        raise ValueError(f"vocabulary must have at least 2 tokens that are words, got {len(ids)}")
    return ids
