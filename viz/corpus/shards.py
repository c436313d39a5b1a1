"""An atlas on disk: shards of tables, each there whole or not at all.

    FOLDER/CHECKPOINT/cells/00000.parquet     and so heads/, sentences/, jobs/, cuts/

A shard is done when its file of heads is there. Who goes on with an atlas skips what is done: by
looking, so that it does not matter who made it, with how many processes, or what ended them.
"""

import os
from io import BufferedReader
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from model.files.durable import is_running, open_file
from texts import say
from viz.corpus.measure import Tables
from viz.corpus.tables import TABLES, AtlasError, Origin, TableName, damaged, read_origin

_ROW_GROUP = 50_000
"""Rows that are looked at together: sorted by head, so that a question skips the other heads."""
MOST_SHARDS = 1_000
_PLAIN = ("weight", "entropy")
"""Columns in which hardly a number comes twice, unless they were rounded."""


def shard_path(folder: Path, table: TableName, number: int) -> Path:
    """Return where a table of a shard is."""
    return folder / table / f"{number:05d}.parquet"


def shard_paths(folder: Path, table: TableName) -> list[Path]:
    """List the files of a table, of the shards that are done.

    Raises AtlasError where there are more than MOST_SHARDS.
    """
    done = sorted((folder / TABLES[-1]).glob("[0-9]*.parquet"))
    if len(done) > MOST_SHARDS:
        raise AtlasError(say("corpus_error.many", path=folder, found=len(done), most=MOST_SHARDS))
    return [folder / table / path.name for path in done]


def open_shard(folder: Path, path: Path) -> BufferedReader:
    """Open a file of an atlas. Raises AtlasError on a pipe, a device, or a file elsewhere."""
    try:
        if not path.resolve(strict=True).is_relative_to(folder.resolve()):
            raise AtlasError(say("corpus_error.link", path=path))
        if not path.is_file():
            raise AtlasError(say("corpus_error.no_file", path=path))
        return open_file(path)
    except (OSError, RuntimeError) as error:  # a link to itself is the latter
        raise damaged(path, error) from error


def done_shards(folder: Path) -> dict[int, int]:
    """Number the shards that are done, and count the sentences of each.

    Raises AtlasError where the files of one cannot be read.
    """
    found: dict[int, int] = {}
    for path in shard_paths(folder, "sentences"):
        if path.is_file():
            try:
                with open_shard(folder, path) as file:
                    found[int(path.stem)] = pq.read_metadata(file).num_rows
            except (OSError, pa.ArrowException) as error:
                raise damaged(path, error) from error
    return found


def find_origin(folder: Path) -> Origin | None:
    """Read where an atlas comes from; None where no shard is done.

    Raises AtlasError on what is no atlas.
    """
    paths = shard_paths(folder, TABLES[-1])
    if not paths:
        return None
    try:
        with open_shard(folder, paths[0]) as file:
            schema = pq.read_schema(file)
    except (OSError, pa.ArrowException) as error:
        raise damaged(paths[0], error) from error
    try:
        return read_origin(schema)
    except AtlasError as error:
        raise AtlasError(say("corpus_error.at", path=paths[0], why=error)) from error


def check_same(folder: Path, origin: Origin) -> None:
    """Raise AtlasError where the folder has shards that do not belong to those of an origin."""
    found = find_origin(folder)
    if found is None or found.same_work(origin):
        return
    what = next(
        name
        for name in (
            *(
                "sha256",
                "drawn",
                "shard",
                "decimals",
                "cuts",
                "checkpoint",
                "task",
                "jobs",
                "format",
            ),
        )
        if getattr(found, name) != getattr(origin, name)
    )
    raise AtlasError(
        say(
            "corpus_error.another",
            folder=folder,
            what=what,
            found=_short(getattr(found, what)),
            asked=_short(getattr(origin, what)),
        )
    )


def write_shard(folder: Path, number: int, tables: Tables, origin: Origin) -> None:
    """Write the tables of a shard beside their places, then move each to its own.

    What a process that was killed meanwhile has left there is taken away.
    """
    temporary: dict[Path, Path] = {}
    try:
        for name in origin.tables:
            path = shard_path(folder, name, number)
            path.parent.mkdir(parents=True, exist_ok=True)
            _sweep(path)
            temporary[path] = path.with_name(f".{path.name}.{os.getpid()}.tmp")
            table = tables[name].replace_schema_metadata(origin.to_metadata())
            plain = _PLAIN if origin.decimals is None else ()
            columns = [c for c in table.column_names if c in plain]
            pq.write_table(
                table,
                temporary[path],
                row_group_size=_ROW_GROUP,
                compression="zstd",
                compression_level=9,
                use_dictionary=[c for c in table.column_names if c not in columns],  # type: ignore[arg-type]
                use_byte_stream_split=columns,  # type: ignore[arg-type]
            )
        for path, written in temporary.items():
            written.replace(path)
    finally:
        for written in temporary.values():
            written.unlink(missing_ok=True)


def _sweep(path: Path) -> None:
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        process = left.name.split(".")[-2]
        if process.isdecimal() and not is_running(int(process)):
            left.unlink(missing_ok=True)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
