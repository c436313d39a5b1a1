"""An atlas to ask: its tables as views of DuckDB, which reads the files where they lie."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from texts import say
from viz.corpus.shards import find_origin, open_shard, shard_paths
from viz.corpus.tables import (
    SCHEMAS,
    TABLES,
    AtlasError,
    HeadName,
    Origin,
    TableName,
    damaged,
    read_origin,
)
from viz.run.record import KINDS

_SETTINGS = {
    "memory_limit": "512MB",
    "threads": 2,
    "autoinstall_known_extensions": False,  # nothing is fetched
    "autoload_known_extensions": False,
}
_INSTALL = ("pip", "install", "duckdb")


class DuckDBMissingError(RuntimeError):
    """DuckDB is not installed; the message says how it is."""


class Atlas:
    """The shards of one checkpoint, for questions. Threads may share it.

    Raises AtlasError on a folder that has none, or one that was made of something else in part.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.origin = _checked(folder)
        self._duckdb = _duckdb()
        paths: dict[TableName, list[Path]] = {
            table: shard_paths(folder, table) for table in self.origin.tables
        }
        self._prepared = (
            f"set allowed_paths = {_listed(chain(*paths.values()))}",
            "set enable_external_access = false",
            "set lock_configuration = true",
            *(f"create view {table} as {_reading(table, paths[table])}" for table in paths),
        )

    def ask(self, sql: str, *values: object) -> pd.DataFrame:
        """Ask a question in SQL; a `?` in it stands for a value.

        Raises AtlasError where the files are damaged behind what was checked of them.
        """
        with self._connected() as connection:
            return connection.execute(sql, list(values)).df()

    def count(self, sql: str) -> int:
        """Ask for one number. Raises AtlasError as `ask` does."""
        with self._connected() as connection:
            return int(connection.execute(sql).fetchone()[0])

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """Open a connection for one question: in milliseconds, and threads share nothing.

        It reads the files of the atlas and no other, and no question changes that.
        """
        try:
            with self._duckdb.connect(":memory:", config=_SETTINGS) as connection:
                for statement in self._prepared:
                    connection.execute(statement)
                yield connection
        except self._duckdb.Error as error:
            raise damaged(self.folder, error) from error

    @cached_property
    def sentences(self) -> int:
        """Count the sentences."""
        return self.count("select count(*) from sentences")

    @cached_property
    def held_out(self) -> int:
        """Count those that no training can have seen."""
        return self.count("select count(*) filter (held_out) from sentences")

    @cached_property
    def heads(self) -> tuple[HeadName, ...]:
        """List the heads: by kind, layer and number."""
        found = self.ask("select distinct kind, layer, head from heads")
        heads = (
            HeadName(row[0], int(row[1]), int(row[2])) for row in found.itertuples(index=False)
        )
        return tuple(sorted(heads, key=lambda head: (KINDS.index(head.kind), *head[1:])))


def atlases_in(folder: Path) -> dict[str, Path]:
    """List the atlases of a folder by the name of their checkpoint."""
    if not folder.is_dir():
        return {}
    return {
        path.name: path
        for path in sorted(folder.iterdir())
        if any((path / TABLES[-1]).glob("[0-9]*.parquet"))
    }


def _checked(folder: Path) -> Origin:
    """Read where an atlas comes from, and that all of it comes from there."""
    origin = find_origin(folder)
    if origin is None:
        raise AtlasError(say("corpus_error.none", path=folder))
    for table in origin.tables:
        for path in shard_paths(folder, table):
            try:
                with open_shard(folder, path) as file:
                    schema = pq.read_schema(file)
            except (OSError, pa.ArrowException) as error:
                raise damaged(path, error) from error
            if not schema.equals(SCHEMAS[table]):
                raise AtlasError(say("corpus_error.columns", path=path, table=table))
            if not read_origin(schema).same_work(origin):
                raise AtlasError(say("corpus_error.mixed", path=path))
    return origin


def _duckdb() -> Any:  # noqa: ANN401 - a module that may not be there
    try:
        import duckdb
    except ImportError as error:
        raise DuckDBMissingError(" ".join(_INSTALL)) from error
    return duckdb


def _reading(table: TableName, paths: Iterable[Path]) -> str:
    """Return the SQL that reads a table of all shards."""
    columns = ", ".join(f'"{field.name}"' for field in SCHEMAS[table])
    return f"select {columns} from read_parquet({_listed(paths)})"


def _listed(paths: Iterable[Path]) -> str:
    return "[" + ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths) + "]"
