"""The sentences of an atlas, in portions that are read where they are measured.

The process that coordinates the work passes on portions, which say where to read. It never holds a
sentence, and to continue it need not draw or read earlier ones again.
"""

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from io import BufferedReader
from itertools import chain, islice
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from sample_data.one_text.tasks import TEXT_TASKS, load_held_out_texts
from sample_data.pairs import Pair, parse_line
from sample_data.tasks import TASKS, is_held_out, load_held_out
from viz.corpus.store import Store
from viz.corpus.tables import damaged

SEED = 1
"""Seed of the drawn sentences; the shipped checkpoints were trained with seed 0."""
_REFUSED = 20_000
"""Repeated sentences in a row after which no new ones are expected."""
_USUAL_LINE = 100
"""Assumed bytes of a line, because lines are not counted."""
_LONGEST_LINE = 1 << 16
_KINDS = (".parquet", ".jsonl", ".tsv", ".txt")


class Source(Protocol):
    """A source of sentences."""

    def read(self, start: int, stop: int) -> Sequence[Pair]:
        """Return the sentences between two places. Raises ValueError for an invalid one."""
        ...


@dataclass(frozen=True)
class Portion:
    """The sentences of one shard."""

    number: int
    first: int
    """The number of its first sentence; later portions have higher numbers."""
    source: Source
    start: int
    stop: int

    def read(self) -> Sequence[Pair]:
        """Return the sentences; a model of one text uses only their sources."""
        return self.source.read(self.start, self.stop)


@dataclass(frozen=True)
class Drawn:
    """Sentences of a task: first the held-out ones, then new ones from its grammar.

    Each block of `size` sentences is drawn separately, so blocks may share sentences.
    """

    task: str
    count: int
    size: int
    """Sentences in a portion."""
    held_out: bool = False
    """Whether no training set contains any of them."""

    def __post_init__(self) -> None:
        if self.task not in TASKS and self.task not in TEXT_TASKS:
            raise ValueError(
                f"the task of the model, {self.task!r}, is not one of "
                f"{', '.join((*TASKS, *TEXT_TASKS))}: give sentences with --input"
            )

    @property
    def name(self) -> str:
        """Return a name of these sentences for the record, independent of their number."""
        return f"{self.task}/held-out" + ("" if self.held_out else f"+seed-{SEED}")

    def portions(self) -> Iterator[Portion]:
        """Yield the portions."""
        for number, start in enumerate(range(0, self.count, self.size)):
            yield Portion(number, start, self, start, min(start + self.size, self.count))

    def read(self, start: int, stop: int) -> Sequence[Pair]:
        """Return the sentences with these numbers, or fewer if there are no more."""
        held = _held_out(self.task)
        drawn = _new(_draw(self.task, start, held_out=self.held_out), {p.source for p in held})
        found = chain(held[start:stop], _typed(self.task, drawn))
        return tuple(islice(found, stop - start))


@cache
def _held_out(task: str) -> tuple[Pair, ...]:
    if task in TASKS:
        return tuple(_typed(task, load_held_out(task)))
    return tuple(Pair(text.text, "", frozenset()) for text in load_held_out_texts(task))


def _draw(task: str, start: int, *, held_out: bool) -> Iterator[Pair]:
    rng = random.Random(f"{SEED}/{start}")
    pairs: Iterable[Pair]
    if task in TEXT_TASKS:
        pairs = (Pair(text.text, "", frozenset()) for text in TEXT_TASKS[task].texts(rng))
    elif held_out and (wanted := TASKS[task].knowledge.wanted_pairs):
        pairs = wanted(rng, is_held_out)
    else:
        pairs = TASKS[task].knowledge.pairs(rng)
    return (pair for pair in pairs if not held_out or is_held_out(pair.source))


def _typed(task: str, pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Leave out sentences with stand-ins for words, because nobody can type and open them."""
    unknown = TASKS[task].knowledge.unknown_words if task in TASKS else None
    stand_ins = unknown() if unknown else {}
    kinds = ("nouns", "plurals", "names", "numbers", "times")
    never = {word for kind in kinds for word in stand_ins.get(kind, ())}
    return (pair for pair in pairs if not any(word in never for word in pair.source.split(" ")))


def _new(pairs: Iterable[Pair], seen: set[str]) -> Iterator[Pair]:
    """Leave out repeated sentences, and stop when almost all are repeated."""
    refused = 0
    for pair in pairs:
        if pair.source not in seen:
            seen.add(pair.source)
            refused = 0
            yield pair
        elif (refused := refused + 1) == _REFUSED:
            return


@dataclass(frozen=True)
class Files:
    """Your own sentences: files, or all files of folders, local or in a bucket.

    Lines source<TAB>target<TAB>alignment (.tsv), one text per line (.txt), one object per line
    (.jsonl), or rows (.parquet). Lines are divided by bytes, so that no file is read just to count
    them. The number of such a sentence is the position of its first byte.
    """

    places: tuple[str, ...]
    columns: tuple[str, ...]
    """Names of the source and target, or of the text, in objects and rows."""
    size: int
    """Sentences in a portion; approximate for lines."""
    most: int | None = None
    """Most sentences; None for all."""

    @property
    def name(self) -> str:
        """Return a name of these sentences for the record, from the files and their sizes."""
        told = json.dumps([[file.name, size] for file, size in self._files()])
        first = self._files()[0][0].name
        return f"{first}/{hashlib.sha256(told.encode()).hexdigest()[:12]}"

    def portions(self) -> Iterator[Portion]:
        """Yield the portions."""
        number = first = 0
        left = self.most
        for file, size in self._files():
            is_table = file.name.endswith(".parquet")
            end, found = (_rows if is_table else _lines)(file, size, left)
            left = None if left is None else left - found
            step = self.size if is_table else self.size * _USUAL_LINE
            source = File(file, self.columns)
            for start in range(0, end, step):
                yield Portion(number, first + start, source, start, min(start + step, end))
                number += 1
            first += end
            if left == 0:
                return

    def _files(self) -> list[tuple[Store, int]]:
        """List the files with their sizes in bytes. Raises ValueError for an unknown type."""
        found = []
        for place in map(Store.at, self.places):
            listed = place.listed()
            if not listed:
                raise ValueError(f"{place}: no files were found")
            for name, (size, _) in listed.items():
                file = place / name if name else place
                if not file.name.endswith(_KINDS):
                    raise ValueError(f"{file}: its name must end in {', '.join(_KINDS)}")
                found.append((file, size))
        return found


def _rows(file: Store, _size: int, most: int | None) -> tuple[int, int]:
    """Return the end of the wanted rows, and their number."""
    try:
        with file.open() as opened:
            count = int(pq.read_metadata(opened).num_rows)
    except (pa.ArrowException, OSError) as error:
        raise damaged(file, error) from error
    count = count if most is None else min(count, most)
    return count, count


def _lines(file: Store, size: int, most: int | None) -> tuple[int, int]:
    """Return the byte at which the wanted lines end, and their number.

    If all lines are wanted, this is the size of the file, and they are not counted.
    """
    if most is None:
        return size, 0
    end = count = 0
    with file.open() as opened:
        while count < most and (line := _line(opened, file)):
            end += len(line)
            count += bool(line.strip())
    return end, count


@dataclass(frozen=True)
class File:
    """One file of sentences."""

    store: Store
    columns: tuple[str, ...]

    def read(self, start: int, stop: int) -> Sequence[Pair]:
        """Return the sentences of these rows, or of the lines that begin between two bytes."""
        if self.store.name.endswith(".parquet"):
            return [self._pair(row) for row in self._table(start, stop)]
        with self.store.open() as opened:
            lines = list(_between(opened, self.store, start, stop))
        return [self._of_line(line) for line in lines if line.strip()]

    def _of_line(self, line: str) -> Pair:
        if self.store.name.endswith(".jsonl"):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ValueError(
                    f"{self.store}: a line must be a JSON object, got {error}"
                ) from error
            if not isinstance(row, dict):
                raise ValueError(f"{self.store}: a line must be a JSON object, got {line[:60]!r}")
            return self._pair(row)
        if self.store.name.endswith(".txt"):
            return Pair(line, "", frozenset())
        return parse_line(line, self.store.name)

    def _table(self, start: int, stop: int) -> list[dict[str, object]]:
        """Read some rows, from only the row groups that contain them."""
        try:
            with self.store.open() as opened, pq.ParquetFile(opened) as table:
                begins = 0
                rows: list[dict[str, object]] = []
                for group in range(table.num_row_groups):
                    count = int(table.metadata.row_group(group).num_rows)
                    if begins < stop and begins + count > start:
                        read = table.read_row_group(group, columns=list(self.columns))
                        at = max(start - begins, 0)
                        rows += read.slice(at, stop - begins - at).to_pylist()
                    begins += count
                return rows
        except (pa.ArrowException, OSError, ValueError) as error:
            raise damaged(self.store, error) from error

    def _pair(self, row: dict[str, object]) -> Pair:
        texts = [row.get(name) for name in self.columns]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            wanted = " and ".join(self.columns)
            raise ValueError(f"{self.store}: each row needs text in {wanted}, got {row!r:.80}")
        source, target = [*map(str, texts), ""][:2]
        return Pair(source, target, frozenset())


def _between(opened: BufferedReader, file: Store, start: int, stop: int) -> Iterator[str]:
    """Yield the lines that begin between two bytes."""
    opened.seek(max(start - 1, 0))
    at = opened.tell()
    if start:  # after a line end, a line begins at start
        at += len(_line(opened, file))
    while at < stop and (line := _line(opened, file)):
        at += len(line)
        try:
            yield line.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise ValueError(f"{file}: a line must be UTF-8, got {line[:40]!r}") from error


def _line(opened: BufferedReader, file: Store) -> bytes:
    line = opened.readline(_LONGEST_LINE + 1)
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"{file}: a line must have at most {_LONGEST_LINE} bytes")
    return line
