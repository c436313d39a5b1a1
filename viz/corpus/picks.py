"""Picks rows of heads to show with their texts; the picks of shards merge to those of all.

sample     random rows, one per sentence
least      the rows with the lowest weights, one per sentence
most       the rows with the highest weights, one per sentence
doing      for each job, rows that do it: from short sentences of low loss, each for another word
           that is read
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from viz.corpus.facts import Facts, JobCells, KindFacts
from viz.corpus.tables import PICKED

SAMPLE = 200
_ENDS = 3
DOING = 3
_READABLE = (6, 13)
"""Least and most tokens of a sentence that can be read at a glance."""
_MOST = {"sample": SAMPLE, "least": _ENDS, "most": _ENDS, "doing": DOING}
_GROUP = ["name", "kind", "layer", "head", "what"]
_LONG = 1e6
"""Added to the loss of a longer or shorter sentence, so that it comes after all others."""


class _Chosen(NamedTuple):
    """Rows of one head, in their order."""

    name: str
    what: str
    head: int
    rows: np.ndarray
    order: np.ndarray


def picks_of(facts: Facts) -> pa.Table:
    """Pick rows of a shard."""
    frames = (_frame(facts, kind, list(_of_kind(facts, kind))) for kind in facts.kinds)
    return merged(pa.Table.from_pandas(frame, PICKED, preserve_index=False) for frame in frames)


def merged(picks: Iterable[pa.Table]) -> pa.Table:
    """Keep the first rows of each name, head and job: one per sentence, or one per word read."""
    found = pa.concat_tables(picks).to_pandas()
    found = found.sort_values([*_GROUP, "order", "sentence", "query"], kind="stable")
    doing = found["name"] == "doing"
    other = np.where(doing, found["key_token"], found["sentence"].astype(str))
    found = found[~found.assign(other=other).duplicated([*_GROUP, "other"])]
    place = found.groupby(_GROUP, sort=False).cumcount()
    kept = found[place < found["name"].map(_MOST)]
    return pa.Table.from_pandas(kept, PICKED, preserve_index=False)


def _of_kind(facts: Facts, kind: KindFacts) -> Iterator[_Chosen]:
    chance = _chance(kind.sentence + facts.first, kind.query)
    by_chance = _first_of_each(kind.sentence, np.argsort(chance, kind="stable"))
    late = _surprise(facts)[kind.sentence]
    jobs = {job: _in_order(facts, kind, cells, late) for job, cells in kind.jobs.items()}
    for head, weight in enumerate(kind.weight):
        sample = by_chance[np.isfinite(weight[by_chance])][: _MOST["sample"]]
        yield _Chosen("sample", "", head, sample, chance[sample])
        rounded = weight.astype(np.float64).round(3)
        for name, order in (
            ("least", rounded + chance * 1e-4),
            ("most", chance * 1e-4 - rounded),
        ):
            rows = _lowest(order, kind.sentence, _MOST[name])
            yield _Chosen(name, "", head, rows, order[rows])
        for job, cells in jobs.items():
            rows = _doing(kind, head, cells)
            yield _Chosen("doing", job, head, rows, late[rows])


def _lowest(order: np.ndarray, sentence: np.ndarray, count: int) -> np.ndarray:
    """Return the first rows in an order, one per sentence; NaN is left out."""
    known = int(np.isfinite(order).sum())
    size = min(known, 16 * count)
    while True:
        near = np.argpartition(order, size - 1)[:size] if size < len(order) else np.arange(size)
        near = near[np.isfinite(order[near])]
        rows = _first_of_each(sentence, near[np.argsort(order[near], kind="stable")])
        if len(rows) >= count or size >= known:
            return rows[:count]
        size = min(known, 4 * size)


def _in_order(facts: Facts, kind: KindFacts, cells: JobCells, late: np.ndarray) -> JobCells:
    """Sort the cells of a job by the rank of their sentences, without punctuation."""
    words = kind.query_class[cells.row] != _punctuation(facts)
    row, key = cells.row[words], cells.key[words]
    order = np.lexsort((row, late[row]))  # rows are sorted by sentence and query
    return JobCells(row[order], key[order])


def _doing(kind: KindFacts, head: int, cells: JobCells) -> np.ndarray:
    """Return the first rows that do a job: the strongest of a sentence, each for another word."""
    read, weight = kind.read[head], kind.weight[head]
    rows = cells.row[read[cells.row] == cells.key]
    found: dict[object, int] = {}
    for _, of_sentence in groupby(rows.tolist(), key=kind.sentence.__getitem__):
        row = max(dict.fromkeys(of_sentence), key=lambda row: (weight[row], -kind.query[row]))
        found.setdefault(kind.key_side.tokens[kind.key_begins[row] + read[row]], row)
        if len(found) == DOING:
            break
    return np.array(list(found.values()), int)


def _first_of_each(sentence: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Keep the first row of each sentence."""
    return rows[np.sort(np.unique(sentence[rows], return_index=True)[1])]


def _surprise(facts: Facts) -> np.ndarray:
    """Return the rank of each sentence: its loss, with sentences hard to read at the end."""
    loss = np.nan_to_num(facts.sentences["loss"].astype(np.float64))
    size = facts.sentences["n_source" if facts.sentences["n_source"].any() else "n_target"]
    return loss + np.where((size >= _READABLE[0]) & (size <= _READABLE[1]), 0, _LONG)


def _punctuation(facts: Facts) -> int:
    return facts.classes.index("punctuation") if "punctuation" in facts.classes else -1


def _frame(facts: Facts, kind: KindFacts, chosen: list[_Chosen]) -> pd.DataFrame:
    counts = [len(each.rows) for each in chosen]
    rows = np.concatenate([each.rows for each in chosen])
    head = np.repeat([each.head for each in chosen], counts)
    layers, numbers = np.array(kind.heads).T
    sentence, key = kind.sentence[rows], kind.read[head, rows]
    return pd.DataFrame(
        {
            "name": np.repeat([each.name for each in chosen], counts),
            "kind": kind.kind,
            "layer": layers[head],
            "head": numbers[head],
            "what": np.repeat([each.what for each in chosen], counts),
            "order": np.concatenate([each.order for each in chosen]),
            "sentence": facts.sentences["sentence"][sentence],
            "query": kind.query[rows],
            "key": key,
            "query_token": kind.query_side.tokens[kind.query_at[rows]],
            "key_token": kind.key_side.tokens[kind.key_begins[rows] + key],
            "weight": kind.weight[head, rows],
            "source": facts.sentences["source"][sentence],
            "target": facts.sentences["target"][sentence],
        }
    )


def _chance(sentence: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Return a number from 0 to 1 for each row, which depends only on its place (splitmix64)."""
    x = sentence.astype(np.uint64) * np.uint64(4096) + query.astype(np.uint64)
    x += np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x ^ (x >> np.uint64(31))) / 2.0**64
