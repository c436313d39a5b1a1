"""The possible size of a corpus: an atlas scaled to any number of sentences, opened and queried.

python -m qa.benchmarks.corpus ATLAS --sentences 1000000000

ATLAS is a folder that `python -m viz.corpus` made. The benchmark multiplies its sums and gives its
manifest as many shards as the sentences need, so its files are what they would be. Then it times
each query of the page in one process, with the bytes read for it.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from qa.benchmarks.rows import Row, show
from viz.corpus.atlas import Atlas
from viz.corpus.costs import costs
from viz.corpus.examples import doing, examples
from viz.corpus.inputs import Files
from viz.corpus.reading import classes, distances
from viz.corpus.roles import find_roles
from viz.corpus.shards import Outcome, name_of, name_of_all, read_manifest, sum_up, write_manifest
from viz.corpus.store import Store
from viz.corpus.tables import HeadName

SHARD = 2_000
MOST_S, MOST_MB = 5.0, 100.0
T = TypeVar("T")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m qa.benchmarks.corpus", description=__doc__)
    parser.add_argument("atlas", help="a folder that python -m viz.corpus made")
    parser.add_argument("--sentences", type=int, default=10**9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        show(_rows(Store.at(options.atlas), Store.at(place), options.sentences))


def _rows(real: Store, grown: Store, sentences: int) -> Iterator[Row]:
    manifest = read_manifest(real)
    assert manifest is not None
    times = -(-sentences // manifest.sentences)
    shards, sentences = _grow(real, grown, times), manifest.sentences * times
    yield Row("sentences", sentences, "")
    yield Row("shards", shards, "")
    read = sum(size for size, _ in grown.listed().values()) / 1e6
    yield Row("read by a page", read, "MB", aim=MOST_MB)
    atlas, spent = _timed(lambda: Atlas(grown))
    assert atlas.sentences == sentences
    yield Row("opened", spent, "s", aim=MOST_S)
    head, job = _head_with_a_job(atlas)
    for what, ask in (
        ("what each head is there for", lambda: find_roles(atlas)),
        ("how far it reads", lambda: distances(atlas, head)),
        ("which parts of speech", lambda: classes(atlas, head)),
        ("sentences of what it does", lambda: doing(atlas, head, job)),
        ("sentences by weight", lambda: examples(atlas, head)),
        ("what each head costs", lambda: costs(atlas)),
    ):
        yield Row(what, _timed(ask)[1], "s", aim=MOST_S)
    manifest = read_manifest(grown)
    assert manifest is not None
    last = Outcome(shards, sentences, sentences + SHARD, SHARD)
    for table in ("sums", "picks"):
        (grown / table / name_of(shards)).write((grown / name_of_all(table, 0)).table())
    yield Row("a shard more is summed up", _timed(lambda: sum_up(grown, manifest, [last]))[1], "s")
    portions, spent = _timed(lambda: _cut(sentences))
    yield Row(f"{portions:,} portions are cut", spent, "s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    yield Row("memory at most", peak, "MB")


def _grow(real: Store, grown: Store, times: int) -> int:
    """Write an atlas scaled to so many times the sentences; return the number of shards."""
    manifest = read_manifest(real)
    assert manifest is not None
    for name in ("sums", "picks"):
        table = (real / name_of_all(name, manifest.serial)).table()
        for column in ("n", "total", "squares") if name == "sums" else ():
            at, field = table.schema.get_field_index(column), table.schema.field(column)
            more = pa.array(table[column].to_numpy() * times, field.type)
            table = table.set_column(at, field, more)
        (grown / name_of_all(name, 0)).write(table)
    sentences = manifest.sentences * times
    shards = {
        number: Outcome(number, first, first + SHARD, min(SHARD, sentences - first))
        for number, first in enumerate(range(0, sentences, SHARD))
    }
    write_manifest(grown, replace(manifest, serial=0, shards=shards))
    return len(shards)


def _cut(sentences: int) -> int:
    """Cut files into portions, as of lines of 100 bytes; return their number."""
    with tempfile.TemporaryDirectory() as place:
        for number in range(-(-sentences // 10**7)):
            with (Path(place) / f"{number:05d}.txt").open("wb") as file:
                file.truncate(10**9)  # a sparse file, which takes no room
        return len(list(Files((place,), ("text",), SHARD).portions()))


def _head_with_a_job(atlas: Atlas) -> tuple[HeadName, str]:
    return next((head, row.what) for head in atlas.heads for row in atlas.picked("doing", head))


def _timed(ask: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    found = ask()
    return found, time.perf_counter() - started


if __name__ == "__main__":
    main()
