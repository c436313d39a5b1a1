"""Which tokens of two runs are compared with each other, and so which rows and columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from viz.run.head_summary import Links
from viz.run.record import AttentionKind, Run, axis_texts
from viz.run.selection import matrix_size
from viz.run.text_alignment import (
    Pairs,
    align_by_gold,
    align_by_hand,
    align_ends,
    align_texts,
    shift_pairs,
)

Way = Literal["tokens", "ends", "gold"]
WAYS: tuple[Way, ...] = get_args(Way)
Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = get_args(Side)
ByHand = tuple[tuple[Side, int, int], ...]
"""Pairs that someone chose: which text, the token's place in A and the one in B."""

_MOST_BY_HAND = 40
_LONGEST_LINK = 600


@dataclass(frozen=True)
class Pairing:
    """The tokens of two runs in pairs, on either side."""

    source: Pairs
    target: Pairs
    """From `<s>` on."""

    def of(self, side: Side) -> Pairs:
        """Return the pairs of one text."""
        return self.source if side == "source" else self.target

    def axes(self, kind: AttentionKind, a: Run, b: Run) -> tuple[Pairs, Pairs]:
        """Pair the rows and the columns of a kind of attention.

        Rows of the decoder are paired by what they write; those of a decoder alone by what they
        read.
        """
        sizes = zip(matrix_size(a, kind), matrix_size(b, kind), strict=True)
        named = a.anatomy.site(kind).rows
        rows, columns = (
            shift_pairs(self.of(text), first, size)
            for (text, first), size in zip(axis_texts(kind, named), sizes, strict=True)
        )
        return rows, columns


def pair_runs(
    a: Run, b: Run, way: Way, gold: tuple[Links | None, Links | None], by_hand: ByHand = ()
) -> Pairing:
    """Pair the tokens of two runs; those that someone chose come after all others.

    Without a gold alignment of both, "gold" pairs as "tokens" does.
    """
    align = align_ends if way == "ends" else align_texts
    source = align(a.texts["source"], b.texts["source"])
    source = align_by_hand(source, _chosen(by_hand, "source"))
    target = align(a.target_tokens, b.target_tokens)
    if way == "gold" and gold[0] is not None and gold[1] is not None:
        sizes = len(a.target_tokens), len(b.target_tokens)
        target = align_by_gold(target, (_positions(gold[0]), _positions(gold[1])), source, sizes)
    return Pairing(source, align_by_hand(target, _chosen(by_hand, "target")))


def read_by_hand(text: str) -> ByHand:
    """Read what a link says was paired by hand, as in "s3-4.t5-5"; what cannot be is left out."""
    sides: dict[str, Side] = {side[0]: side for side in SIDES}
    found = []
    for part in text[:_LONGEST_LINK].split("."):
        i, _, j = part[1:].partition("-")
        if part[:1] in sides and _is_place(i) and _is_place(j):
            found.append((sides[part[0]], int(i), int(j)))
    return tuple(found[:_MOST_BY_HAND])


def write_by_hand(pairs: ByHand) -> str:
    """Write pairs for a link."""
    return ".".join(f"{side[0]}{i}-{j}" for side, i, j in pairs)


def _is_place(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 3


def _chosen(by_hand: ByHand, side: Side) -> Sequence[tuple[int, int]]:
    return [(i, j) for text, i, j in by_hand if text == side]


def _positions(gold: Links) -> Links:
    """Return target positions for rows of the decoder, of which each writes the next token."""
    return frozenset((row + 1, source) for row, source in gold)
