"""The tables of a shard as arrays, with the rows of all heads of a kind side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from jaxtyping import Float, Int

from viz.corpus.tables import TableName
from viz.heads.jobs import JOBS
from viz.run.axes import KINDS, AttentionKind

_KIND_OF_JOB = {job.name: job.kind for job in JOBS}

Tables = Mapping[TableName, pa.Table]


class Side(NamedTuple):
    """The tokens of one side of all sentences, one sentence after the other."""

    begins: Int[np.ndarray, " sentence"]
    tokens: np.ndarray
    classes: Int[np.ndarray, " token"]
    """Indices in `Facts.classes`."""


class JobCells(NamedTuple):
    """The cells of a job, in the order of their rows."""

    row: Int[np.ndarray, " cell"]
    key: Int[np.ndarray, " cell"]


@dataclass(frozen=True, eq=False)
class KindFacts:
    """The measurements of all heads of one kind in a shard."""

    kind: AttentionKind
    heads: Sequence[tuple[int, int]]
    """Layer and number of each head."""
    read: Int[np.ndarray, "head row"]
    weight: Float[np.ndarray, "head row"]
    sentence: Int[np.ndarray, " row"]
    """Index of the row's sentence in the shard."""
    query: Int[np.ndarray, " row"]
    keys: Int[np.ndarray, " row"]
    """Number of keys."""
    query_at: Int[np.ndarray, " row"]
    """Index of the token that names a row, read or written, among the tokens of its side."""
    key_begins: Int[np.ndarray, " row"]
    """Index of the first key among the tokens of its side."""
    query_side: Side
    key_side: Side
    jobs: Mapping[str, JobCells]

    @cached_property
    def query_class(self) -> Int[np.ndarray, " row"]:
        """The class of the token that names each row."""
        return self.query_side.classes[self.query_at]

    @cached_property
    def read_class(self) -> Int[np.ndarray, "head row"]:
        """The class of the token that each head reads most in each row."""
        return self.key_side.classes[self.key_begins + self.read]


class Facts:
    """The facts of a shard, whose sentences are numbered from 0 here."""

    def __init__(self, tables: Tables, jobs: Sequence[str]) -> None:
        self.tables = tables
        self.sentences = {
            name: tables["sentences"][name].to_numpy(zero_copy_only=False)
            for name in tables["sentences"].column_names
        }
        self.first = int(self.sentences["sentence"][0])
        self.classes = tuple(sorted(set(tables["tokens"]["class"].unique().to_pylist())))
        self._jobs = jobs

    @property
    def translates(self) -> bool:
        """Whether the model reads one text and writes another; rows then write the next token."""
        return bool(self.sentences["n_source"].any() and self.sentences["n_target"].any())

    @property
    def predicted(self) -> Int[np.ndarray, " sentence"]:
        """Number of tokens behind each mean loss; 1 if only hidden words are predicted."""
        written = self.sentences["n_target"].astype(np.int64)
        return np.maximum(written if self.translates else written - 1, 1)

    @cached_property
    def _sides(self) -> Mapping[str, Side]:
        tokens = self.tables["tokens"]
        side = np.asarray(tokens["side"].to_pylist(), object)
        sentence = self._place(tokens)
        names = np.asarray(tokens["token"].to_pylist(), object)
        classes = np.searchsorted(self.classes, tokens["class"].to_pylist())
        found = {}
        for name in ("source", "target"):
            of = side == name
            counts = np.bincount(sentence[of], minlength=len(self.sentences["sentence"]))
            found[name] = Side(np.cumsum(counts) - counts, names[of], classes[of])
        return found

    def described(self) -> Tables:
        """Return the tables; each cell also gets the classes of the reading and the read token."""
        cells, names = self.tables["cells"], pa.array(self.classes, pa.string())
        columns = {
            "query_class": [np.tile(kind.query_class, len(kind.heads)) for kind in self.kinds],
            "key_class": [kind.read_class.ravel() for kind in self.kinds],
        }
        for name, numbers in columns.items():
            cells = cells.append_column(name, names.take(pa.array(np.concatenate(numbers))))
        return {**self.tables, "cells": cells}

    @cached_property
    def kinds(self) -> Sequence[KindFacts]:
        """The facts of each kind of attention."""
        return tuple(self._kinds())

    def _kinds(self) -> Iterator[KindFacts]:
        cells = self.tables["cells"]
        kinds = _numbers(cells, "kind")
        for number, kind in enumerate(KINDS):
            of = slice(*np.searchsorted(kinds, (number, number + 1)).tolist())
            if of.start < of.stop:
                yield self._kind(kind, cells.slice(of.start, of.stop - of.start))

    def _kind(self, kind: AttentionKind, cells: pa.Table) -> KindFacts:
        layer, head = (_numbers(cells, name) for name in ("layer", "head"))
        heads = list(dict.fromkeys(zip(layer.tolist(), head.tolist(), strict=True)))
        rows = len(cells) // len(heads)
        sentence, query = (
            values[:rows] for values in (self._place(cells), _numbers(cells, "query"))
        )
        in_encoder, is_cross = kind == KINDS[0], kind == "cross-attention"
        key_name = "target" if kind == "decoder self-attention" else "source"
        query_side = self._sides["source" if in_encoder else "target"]
        key_side = self._sides[key_name]
        later = 0 if in_encoder or not self.translates else 1
        count = np.bincount(sentence, minlength=len(self.sentences["sentence"]))
        sizes = self.sentences["n_source"] if is_cross else count
        begins = np.cumsum(count) - count
        return KindFacts(
            kind=kind,
            heads=heads,
            read=_numbers(cells, "key").reshape(len(heads), rows),
            weight=cells["weight"].to_numpy().reshape(len(heads), rows),
            sentence=sentence,
            query=query,
            keys=sizes.astype(np.int64)[sentence],
            query_at=query_side.begins[sentence] + query + later,
            key_begins=key_side.begins[sentence],
            query_side=query_side,
            key_side=key_side,
            jobs=dict(self._cells_of_jobs(kind, begins)),
        )

    def _cells_of_jobs(
        self,
        kind: AttentionKind,
        begins: Int[np.ndarray, " sentence"],
    ) -> Iterator[tuple[str, JobCells]]:
        jobs = self.tables["jobs"]
        number, sentence, query, key = (
            _numbers(jobs, "job"),
            self._place(jobs),
            _numbers(jobs, "query"),
            _numbers(jobs, "key"),
        )
        for place, name in enumerate(self._jobs):
            of = number == place
            is_its = not self.translates or _KIND_OF_JOB.get(name) == kind
            if is_its and of.any():
                row = begins[sentence[of]] + query[of]
                order = np.lexsort((key[of], row))
                yield name, JobCells(row[order], key[of][order])

    def _place(self, table: pa.Table) -> Int[np.ndarray, " row"]:
        return (table["sentence"].to_numpy() - np.uint64(self.first)).astype(np.int64)


def _numbers(table: pa.Table, name: str) -> Int[np.ndarray, " row"]:
    column = table[name]
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.indices for chunk in column.chunks])
    return column.to_numpy().astype(np.int64)
