"""Sorts the cells of all shards into large files of one head each.

    by_head/kind=KIND/layer=L/head=H/00000-00499.parquet     and by_head/files.parquet, a row each

A shard holds all heads for some sentences, because they are measured together; most questions are
about one head in all sentences. In these files the rows are sorted by the class of the token that
is read and by weight, in groups whose bounds Parquet stores, so that most groups can be skipped.
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from viz.corpus.shards import name_of, read_manifest
from viz.corpus.store import Store
from viz.corpus.tables import HeadName

MOST_ROWS = 1 << 24
"""Most rows of a file: about 150 MB."""
_ROW_GROUP = 100_000
_FILES = pa.schema(
    [
        ("file", pa.string()),
        ("kind", pa.string()),
        ("layer", pa.uint8()),
        ("head", pa.uint8()),
        ("rows", pa.uint64()),
        ("least", pa.float32()),
        ("most", pa.float32()),
        ("first", pa.uint64()),
        ("last", pa.uint64()),
    ]
)
_ORDER = [("key_class", "ascending"), ("weight", "descending"), ("sentence", "ascending")]


def compact(folder: Store, most_rows: int = MOST_ROWS) -> int:
    """Move the cells of the finished shards into files by head; return the number of files.

    Files from earlier calls stay beside those of newer shards. If the work is interrupted, the
    shards stay as they are, and the next call starts again.
    """
    manifest = read_manifest(folder)
    sorted_ = folder / "by_head"
    before = _listed(sorted_)
    for name in sorted_.listed():
        if name != "files.parquet" and name not in before["file"].to_pylist():
            (sorted_ / name).remove()
    there = (folder / "cells").listed()
    numbers = [
        number for number in (manifest.shards if manifest else ()) if name_of(number) in there
    ]
    if not numbers:
        return len(before)
    heads = _heads(folder / "cells" / name_of(numbers[0]))
    rows = [row for head in heads for row in _of_head(folder, head, numbers, most_rows)]
    found = pa.concat_tables([before, pa.Table.from_pylist(rows, _FILES)])
    (sorted_ / "files.parquet").write(found)
    for number in numbers:
        (folder / "cells" / name_of(number)).remove()
    return len(found)


def _listed(sorted_: Store) -> pa.Table:
    files = sorted_ / "files.parquet"
    return files.table() if files.stamp() else _FILES.empty_table()


def _heads(shard: Store) -> list[HeadName]:
    table = shard.table().select(HeadName._fields).group_by(list(HeadName._fields)).aggregate([])
    return [HeadName(**row) for row in table.to_pylist()]


def _of_head(
    folder: Store, head: HeadName, numbers: Sequence[int], most_rows: int
) -> Iterator[dict[str, object]]:
    """Write the files of a head; yield a row that describes each."""
    wanted = pc.field("kind") == head.kind
    wanted &= (pc.field("layer") == head.layer) & (pc.field("head") == head.head)
    waiting, held, first = list[pa.Table](), 0, numbers[0]
    for number in numbers:
        table = (folder / "cells" / name_of(number)).table(wanted)
        waiting.append(table.drop_columns(list(HeadName._fields)))
        held += len(table)
        if held < most_rows and number != numbers[-1]:
            continue
        cells = pa.concat_tables(waiting).sort_by(_ORDER)
        place = "/".join(f"{name}={value}" for name, value in head._asdict().items())
        name = f"{place}/{first:05d}-{number:05d}.parquet"
        (folder / "by_head" / name).write(cells, row_group_size=_ROW_GROUP)
        weights, sentences = _ends(cells["weight"]), _ends(cells["sentence"])
        yield {
            "file": name,
            **head._asdict(),
            "rows": len(cells),
            "least": weights[0],
            "most": weights[1],
            "first": sentences[0],
            "last": sentences[1],
        }
        waiting, held, first = [], 0, number + 1


def _ends(values: pa.ChunkedArray) -> tuple[float, float]:
    numbers = values.to_numpy()
    return numbers.min(), numbers.max()
