"""An atlas as files: the facts of each shard, their sums, and a manifest of the finished shards.

    FOLDER/CHECKPOINT/manifest.parquet         the shards in the sums, a row each
                      all-sums-N, all-picks-N  of all these shards: pages read them
                      sums/00000.parquet       of one shard; written last, so it is then finished
                      picks/, cells/, heads/   likewise sentences/, tokens/, jobs/, cuts/

The manifest names its N, and is replaced in one step. So it lists exactly the shards in the sums. A
shard that was finished just before an interruption is not in it, and is found by the next process
that would make it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from texts import say
from viz.corpus import picks, sums
from viz.corpus.facts import Facts, Tables
from viz.corpus.inputs import Portion
from viz.corpus.store import Store, inside
from viz.corpus.tables import PICKED, SUMS, AtlasError, Origin, damaged, read_origin

MANIFEST = "manifest.parquet"
_SHARDS = pa.schema(
    [
        ("shard", pa.uint32()),
        ("first", pa.uint64()),
        ("stop", pa.uint64()),
        ("sentences", pa.uint32()),
    ]
)
_SERIAL, _BOUNDS = b"sums", b"bounds"
_MOST_BYTES = 100_000_000
"""Most bytes of a manifest: about 4 million shards."""
_TOGETHER = 100
"""Shards whose sums are in memory at once."""
_ROW_GROUP = 50_000
"""Rows in a row group; they are sorted by head, so a query skips the groups of other heads."""
_PLAIN = ("weight", "entropy")
"""Columns whose numbers hardly repeat, unless they were rounded."""


class Outcome(NamedTuple):
    """The result of making a shard."""

    shard: int
    first: int
    stop: int
    sentences: int
    failed: str = ""
    """The reason why it could not be made."""
    left_out: int = 0
    """Number of texts that the model cannot read."""


def outcome_of(portion: Portion, sentences: int = 0, failed: str = "") -> Outcome:
    """Return the outcome for the shard of a portion."""
    stop = portion.first + portion.stop - portion.start
    return Outcome(portion.number, portion.first, stop, sentences, failed)


@dataclass(frozen=True)
class Manifest:
    """The finished shards that are in the sums."""

    origin: Origin
    serial: int
    """Number of its files of sums and picks."""
    shards: Mapping[int, Outcome]

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return sum(shard.sentences for shard in self.shards.values())

    def lacks(self, portion: Portion) -> bool:
        """Return whether the shard of a portion is missing."""
        found = self.shards.get(portion.number)
        return found is None or found != outcome_of(portion, found.sentences)


def name_of(number: int) -> str:
    """Return the file name of a shard."""
    return f"{number:05d}.parquet"


def name_of_all(table: str, serial: int) -> str:
    """Return the file name of the sums, or the picks, of all shards of a manifest."""
    return f"all-{table}-{serial}.parquet"


def read_manifest(folder: Store) -> Manifest | None:
    """Read the manifest; None if there is none. Raises AtlasError if it is not one of an atlas."""
    if (folder / MANIFEST).stamp() is None:
        return None
    table = inside(folder, MANIFEST).table(most=_MOST_BYTES)
    metadata = table.schema.metadata or {}
    try:
        origin = read_origin(table.schema)
    except AtlasError as error:
        raise AtlasError(say("corpus_error.at", path=folder / MANIFEST, why=error)) from error
    serial = metadata.get(_SERIAL, b"")
    if not table.schema.equals(_SHARDS) or not serial[:9].isdigit():
        raise AtlasError(say("corpus_error.columns", path=folder / MANIFEST, table="manifest"))
    rows = zip(*(table[name].to_pylist() for name in _SHARDS.names), strict=True)
    shards = {row[0]: Outcome(*row) for row in rows}
    return Manifest(origin, int(serial[:9]), shards)


def check_same(folder: Store, origin: Origin) -> Manifest:
    """Read the manifest of an atlas. Raises AtlasError if it is made from something else."""
    found = read_manifest(folder)
    if found is None:
        return Manifest(origin, 0, {})
    if found.origin.same_work(origin):
        return found
    names = ("sha256", "drawn", "shard", "decimals", "cuts", "checkpoint", "task", "jobs", "format")
    what = next(n for n in names if getattr(found.origin, n) != getattr(origin, n))
    raise AtlasError(
        say(
            "corpus_error.another",
            folder=folder,
            what=what,
            found=_short(getattr(found.origin, what)),
            asked=_short(getattr(origin, what)),
        )
    )


def write_shard(
    folder: Store, portion: Portion, tables: Tables, origin: Origin, *, facts: bool = True
) -> None:
    """Write the sums and picks of a shard, and its facts if wanted; the sums are written last."""
    found = Facts(tables, origin.jobs)
    kept: dict[str, pa.Table] = {**found.described()} if facts else {}
    kept |= {"picks": picks.picks_of(found), "sums": sums.sums_of(found)}
    bounds = json.dumps(outcome_of(portion, len(tables["sentences"]))[:4]).encode()
    for name, table in kept.items():
        plain = _PLAIN if origin.decimals is None else ()
        columns = [c for c in table.column_names if c in plain and name not in ("picks", "sums")]
        told = origin.to_metadata() | {_BOUNDS: bounds}
        (folder / name / name_of(portion.number)).write(
            table.replace_schema_metadata(told),
            row_group_size=_ROW_GROUP,
            use_dictionary=[c for c in table.column_names if c not in columns],
            use_byte_stream_split=columns,
        )


def find_done(folder: Store, portion: Portion, origin: Origin) -> Outcome | None:
    """Return the shard of a portion if it is finished. Raises AtlasError on another atlas."""
    path = folder / "sums" / name_of(portion.number)
    if path.stamp() is None:
        return None
    schema = path.schema()
    if not read_origin(schema).same_work(origin):
        raise AtlasError(say("corpus_error.mixed", path=path))
    try:
        shard, first, stop, sentences = map(int, json.loads(schema.metadata[_BOUNDS]))
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, error) from error
    made = Outcome(shard, first, stop, sentences)
    return made if made == outcome_of(portion, sentences) else None


def sum_up(folder: Store, done: Manifest, made: Sequence[Outcome]) -> Manifest:
    """Add shards to the sums and to the manifest.

    A shard that was made again, from more sentences, cannot be subtracted from the sums, so all
    shards are then added up again.
    """
    shards = dict(done.shards)
    anew = any(shard.shard in shards for shard in made)
    shards |= {shard.shard: shard for shard in made}
    added = shards.values() if anew else made
    names = [name_of(shard.shard) for shard in added if shard.sentences]
    serial = done.serial + 1
    for table, schema, merge in (("sums", SUMS, sums.merged), ("picks", PICKED, picks.merged)):
        found = schema.empty_table()
        if done.serial and not anew:
            found = inside(folder, name_of_all(table, done.serial)).table()
        for start in range(0, len(names), _TOGETHER):
            batch = [(folder / table / name).table() for name in names[start : start + _TOGETHER]]
            found = merge([found, *batch])
        told = found.replace_schema_metadata(done.origin.to_metadata())
        (folder / name_of_all(table, serial)).write(told)
    summed = Manifest(done.origin, serial, dict(sorted(shards.items())))
    write_manifest(folder, summed)
    for table in ("sums", "picks"):  # the last ones stay for pages that have just read their number
        (folder / name_of_all(table, done.serial - 1)).remove()
    return summed


def write_manifest(folder: Store, manifest: Manifest) -> None:
    """Write the manifest in place of the previous one."""
    columns = np.array([shard[:4] for shard in manifest.shards.values()], np.int64)
    arrays = [
        pa.array(column, field.type)
        for field, column in zip(_SHARDS, columns.reshape(-1, 4).T, strict=True)
    ]
    told = manifest.origin.to_metadata() | {_SERIAL: str(manifest.serial).encode()}
    (folder / MANIFEST).write(pa.table(arrays, schema=_SHARDS.with_metadata(told)))


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
