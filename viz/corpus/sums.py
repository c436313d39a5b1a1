"""Counts and sums over the sentences of a shard; added over shards, they are those of all.

name       of                      at            n, total, squares

sentences  all                     held out?     sentences
loss       all                     held out?     sentences, sum of losses, of their squares
right      all                     held out?     sentences, number of correct ones
metric     head, what: its name    held out?     sentences, sum of values, of their squares
read       head                    key - query   rows whose strongest key is at this distance
able       kind                    key - query   rows that have a key at this distance
ahead      kind                                  rows of all heads that read a later token
nearest    head                    distance      rows, from the nearest token they translate
classes    head, what reads, other               rows, by the classes of reading and read token
weight     head                    thousandths   rows with this largest weight
job        kind, what: its name                  rows, and over its cells the sums of
                                                 1 / (query + 1) and of 1 / keys
job_cells  kind, what: its name    key - query   cells
job_hits   head, what: its name                  cells that are the strongest of their row, the sum
                                                 of their weights (0 in atlases of version 0.9)
lost       head                                  tokens w, the sum of w x, of w² x²
lost_each  head                                  sentences, the sums of w² x and of w²
cut        head                                  correct before; still correct; newly correct
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from viz.corpus.facts import Facts, JobCells, KindFacts
from viz.corpus.tables import SUMS, TableName
from viz.heads.head_roles import rows_able
from viz.heads.head_summary import METRICS
from viz.run.axes import AttentionKind

STEPS = 1000
"""Steps from 0 to 1 in the distribution `weight`."""
TRANSLATES = "reads_translated"
"""The job whose cells `nearest` uses."""
_VALUES = ("n", "total", "squares")
_KEYS = [name for name in SUMS.names if name not in _VALUES]

Place = tuple[AttentionKind | str, int, int]
"""Kind, layer and head; for a whole kind or for everything, the missing numbers are -1."""
_ALL: Place = ("", -1, -1)


def sums_of(facts: Facts) -> pa.Table:
    """Sum up a shard."""
    rows = [*_of_sentences(facts)]
    for kind in facts.kinds:
        rows += _of_rows(facts, kind)
        rows += _of_jobs(kind)
    return pa.concat_tables([row for row in rows if len(row)])


def merged(sums: Iterable[pa.Table]) -> pa.Table:
    """Add up sums."""
    grouped = pa.concat_tables(sums).group_by(_KEYS, use_threads=False)
    added = grouped.aggregate([(name, "sum") for name in _VALUES])
    columns = [*_KEYS, *(f"{name}_sum" for name in _VALUES)]
    return added.select(columns).rename_columns(SUMS.names).cast(SUMS)


def _of_sentences(facts: Facts) -> Iterator[pa.Table]:
    held = facts.sentences["held_out"].astype(int)
    loss, right = facts.sentences["loss"].astype(np.float64), facts.sentences["right"]
    known = np.isfinite(loss)
    for at in np.unique(held):
        of, told = held == at, known & (held == at)
        yield _sum("sentences", _ALL, n=of.sum(), at=at)
        yield _sum("loss", _ALL, **_moments(loss[told]), at=at)
        yield _sum("right", _ALL, n=told.sum(), total=right[told].sum(), at=at)
    for place, table in _by_head(facts, "heads"):
        for name in METRICS:
            values = table[name].to_numpy().astype(np.float64)
            for at in np.unique(held):
                of = np.isfinite(values) & (held == at)
                yield _sum("metric", place, **_moments(values[of]), what=name, at=at)
    if "cuts" in facts.tables:
        for place, table in _by_head(facts, "cuts"):
            yield from _of_cut(facts, place, table)


def _of_cut(facts: Facts, place: Place, table: pa.Table) -> Iterator[pa.Table]:
    """Sum up the cost of a head over the sentences with a known loss, weighted by their tokens."""
    lost = table["loss"].to_numpy().astype(np.float64) - facts.sentences["loss"]
    known = np.isfinite(lost)
    x, w = lost[known], facts.predicted[known].astype(np.float64)
    yield _sum("lost", place, n=int(w.sum()), total=w @ x, squares=(w * x) @ (w * x))
    yield _sum("lost_each", place, n=len(x), total=(w * w) @ x, squares=w @ w)
    before = facts.sentences["right"]
    still = table["right"].to_numpy(zero_copy_only=False)
    kept, mended = (before & still).sum(), (~before & still).sum()
    yield _sum("cut", place, n=before.sum(), total=kept, squares=mended)


def _of_rows(facts: Facts, kind: KindFacts) -> Iterator[pa.Table]:
    distance = kind.read - kind.query
    of_kind = (kind.kind, -1, -1)
    yield _sum("ahead", of_kind, n=(distance > 0).sum())
    most, able = rows_able(kind.query, kind.keys)
    yield _counts("able", of_kind, able, shift=most)
    codes = len(facts.classes)
    reads = kind.query_class * codes
    for place, read, far, weight in zip(
        _places(kind), kind.read_class, distance, kind.weight, strict=True
    ):
        yield _counts("read", place, np.bincount(far + most), shift=most)
        yield _classes(facts.classes, place, np.bincount(reads + read, minlength=codes**2))
        known = weight[np.isfinite(weight)].astype(np.float64)
        steps = (known.round(3) * STEPS).round().astype(int)
        yield _counts("weight", place, np.bincount(steps))


def _of_jobs(kind: KindFacts) -> Iterator[pa.Table]:
    of_kind = (kind.kind, -1, -1)
    for name, cells in kind.jobs.items():
        rows, keys = kind.query[cells.row], kind.keys[cells.row]
        yield _sum(
            "job",
            of_kind,
            n=len(np.unique(cells.row)),
            total=(1 / (rows + 1)).sum(),
            squares=(1 / keys).sum(),
            what=name,
        )
        far = cells.key - rows
        yield _counts("job_cells", of_kind, np.bincount(far - far.min()), -far.min(), name)
        hits = kind.read[:, cells.row] == cells.key
        weights = np.nan_to_num(kind.weight[:, cells.row].astype(np.float64))
        for place, hit, weight in zip(_places(kind), hits, weights, strict=True):
            yield _sum("job_hits", place, n=hit.sum(), total=weight[hit].sum(), what=name)
    if TRANSLATES in kind.jobs:
        yield from _nearest(kind, kind.jobs[TRANSLATES])


def _nearest(kind: KindFacts, cells: JobCells) -> Iterator[pa.Table]:
    """Count the rows by the distance from the nearest token that they translate to the one read."""
    starts = np.flatnonzero(np.diff(cells.row, prepend=-1))
    for place, read in zip(_places(kind), kind.read, strict=True):
        far = read[cells.row] - cells.key
        nearest = np.minimum.reduceat(2 * np.abs(far) + (far > 0), starts)
        far = np.where(nearest % 2, nearest // 2, -(nearest // 2))
        yield _counts("nearest", place, np.bincount(far - far.min()), shift=-far.min())


def _places(kind: KindFacts) -> list[Place]:
    return [(kind.kind, *head) for head in kind.heads]


def _by_head(facts: Facts, name: TableName) -> Iterator[tuple[Place, pa.Table]]:
    """Divide a table of sentences and heads, sorted by head, into one table per head."""
    table, size = facts.tables[name], len(facts.sentences["sentence"])
    for start in range(0, len(table), size):
        head = table.slice(start, size)
        kind, layer, number = (head[column][0].as_py() for column in ("kind", "layer", "head"))
        yield (kind, layer, number), head


def _moments(values: np.ndarray) -> dict[str, float]:
    squares = float(values @ values)
    return {"n": len(values), "total": float(values.sum()), "squares": squares}


def _sum(name: str, place: Place, **values: object) -> pa.Table:
    return _table(name, place, 1, {key: [value] for key, value in values.items()})


def _counts(
    name: str, place: Place, counts: np.ndarray, shift: int = 0, what: str = ""
) -> pa.Table:
    """Keep the nonzero counts; `at` is their index minus the shift."""
    at = np.flatnonzero(counts)
    values = {"at": at - shift, "n": counts[at], "what": [what] * len(at)}
    return _table(name, place, len(at), values)


def _classes(names: Sequence[str], place: Place, counts: np.ndarray) -> pa.Table:
    at = np.flatnonzero(counts)
    reads, read = np.divmod(at, len(names))
    values = {
        "what": [names[i] for i in reads],
        "other": [names[i] for i in read],
        "n": counts[at],
    }
    return _table("classes", place, len(at), values)


def _table(name: str, place: Place, count: int, values: dict[str, object]) -> pa.Table:
    same = {"name": name, **dict(zip(("kind", "layer", "head"), place, strict=True))}
    same |= {"what": "", "other": "", "at": 0, "n": 0, "total": 0.0, "squares": 0.0}
    columns = [
        pa.array(values[field.name], field.type)
        if field.name in values
        else pa.repeat(pa.scalar(same[field.name], field.type), count)
        for field in SUMS
    ]
    return pa.table(columns, schema=SUMS)
