"""Which sentences an atlas is made of, as shards: held-out ones first, then others of the task."""

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from sample_data.pairs import Pair, read_tsv
from sample_data.tasks import TASKS, held_out_pairs, load_held_out

SEED = 1
"""Of the pairs that are drawn: the training of the checkpoints that are here had seed 0."""
_REFUSED = 20_000
"""Pairs in a row that were there before, after which there are taken to be no others."""


@dataclass(frozen=True)
class Drawn:
    """A choice of sentences: the same ones in the same order each time it is asked."""

    task: str
    count: int
    held_out: bool = False
    """Whether all are such as no training set contains."""
    file: Path | None = None
    """Lines of one's own in the place of the task's."""

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"sentences must be at least 1, got {self.count}")
        if self.file is None and self.task not in TASKS:
            raise ValueError(
                f"the checkpoint's task {self.task!r} is none of {', '.join(TASKS)}: give a file "
                "of lines source<TAB>target"
            )

    @property
    def name(self) -> str:
        """Name these sentences for the record, however many of them."""
        if self.file:
            digest = hashlib.sha256(self.file.read_bytes()).hexdigest()
            return f"file/{self.file.name}/{digest[:12]}"
        if self.held_out:
            return f"{self.task}/held-out"
        return f"{self.task}/held-out+seed-{SEED}"

    def pairs(self) -> Iterator[Pair]:
        """Return the pairs, fewer where there are no more."""
        return islice(self._all(), self.count)

    def shards(self, size: int) -> Iterator[tuple[int, Sequence[Pair]]]:
        """Yield the pairs in shards with their numbers; only the one in hand is kept."""
        yield from enumerate(_batched(self.pairs(), size))

    def _all(self) -> Iterator[Pair]:
        if self.file:
            return iter(read_tsv(self.file))
        held = load_held_out(self.task)
        if self.held_out:
            found = chain(held, islice(held_out_pairs(self.task), len(held), None))
        else:
            found = chain(held, _others(self.task, {pair.source for pair in held}))
        return _typed(self.task, found)


def _typed(task: str, pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Leave out what nobody can type, and so not open: texts with a stand-in for a word."""
    unknown = TASKS[task].unknown_words
    stand_ins = unknown() if unknown else {}
    kinds = ("nouns", "plurals", "names", "numbers", "times")
    never = {word for kind in kinds for word in stand_ins.get(kind, ())}
    return (pair for pair in pairs if not any(word in never for word in pair.source.split(" ")))


def _others(task: str, seen: set[str]) -> Iterator[Pair]:
    """Draw pairs that are not there yet, until almost none is left."""
    refused = 0
    for pair in TASKS[task].pairs(random.Random(f"atlas {SEED}")):
        if pair.source not in seen:
            seen.add(pair.source)
            refused = 0
            yield pair
        elif (refused := refused + 1) == _REFUSED:
            return


def _batched(pairs: Iterable[Pair], size: int) -> Iterator[tuple[Pair, ...]]:
    waiting = iter(pairs)
    while batch := tuple(islice(waiting, size)):
        yield batch
