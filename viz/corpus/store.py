"""Access to the files of an atlas or a corpus: a local folder, or a URI that pyarrow can open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from model.files.durable import open_file, write_whole
from texts import say
from viz.corpus.tables import AtlasError, damaged


class Stamp(NamedTuple):
    """The version of a file's contents, as far as it can be told without reading them."""

    size: int
    written: int
    """Time of the last change, in nanoseconds."""


@dataclass(frozen=True)
class Store:
    """A file or folder, by a path or a URI such as s3://bucket/folder or gs://bucket/folder.

    Credentials for a bucket come from the environment. A URI may add options, as in
    s3://bucket/folder?endpoint_override=127.0.0.1:9000&scheme=http. Each method raises AtlasError
    if something cannot be read.
    """

    place: str
    """The path or URI."""
    inner: str = ""
    """Path below that place."""

    @classmethod
    def at(cls, place: str | Path) -> Self:
        """Return the store at a place. Raises AtlasError for a URI of an unknown kind."""
        named = str(place)
        found = cls(named if "://" in named else Path(named).expanduser().absolute().as_posix())
        _ = found._reached
        return found

    def __str__(self) -> str:
        told = _named(self.place)
        return f"{told.rstrip('/')}/{self.inner}" if self.inner else told

    def __truediv__(self, name: str) -> Self:
        return type(self)(self.place, f"{self.inner}/{name}" if self.inner else name)

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self._reached[1].rsplit("/", 1)[-1]

    @property
    def is_remote(self) -> bool:
        """Whether it is not on a disk of this machine."""
        return "://" in self.place

    @property
    def _reached(self) -> tuple[pafs.FileSystem, str]:
        system, path = _system(self.place)
        return system, f"{path}/{self.inner}" if self.inner else path

    def listed(self) -> Mapping[str, Stamp]:
        """List the files in a folder and its subfolders, by their relative paths, sorted.

        A file is listed as itself, with an empty path; a missing place lists nothing. Names that
        begin with a dot are left out.
        """
        system, path = self._reached
        try:
            info = system.get_file_info(path)
            if info.type == pafs.FileType.File:
                return {"": _stamp(info)}
            found = system.get_file_info(
                pafs.FileSelector(path, recursive=True, allow_not_found=True)
            )
        except (pa.ArrowException, OSError) as error:
            raise damaged(self, error) from error
        named = {each.path.removeprefix(path).strip("/"): each for each in found}
        return {
            name: _stamp(named[name])
            for name in sorted(named)
            if named[name].is_file and not any(part[:1] == "." for part in name.split("/"))
        }

    def folders(self) -> Sequence[str]:
        """Return the names of its direct subfolders; none if the folder is missing."""
        system, path = self._reached
        try:
            found = system.get_file_info(pafs.FileSelector(path, allow_not_found=True))
        except (pa.ArrowException, OSError) as error:
            raise damaged(self, error) from error
        return sorted(each.base_name for each in found if each.type == pafs.FileType.Directory)

    def stamp(self) -> Stamp | None:
        """Return the stamp of a file; None if the file is missing."""
        system, path = self._reached
        try:
            info = system.get_file_info(path)
        except (pa.ArrowException, OSError) as error:
            raise damaged(self, error) from error
        return _stamp(info) if info.is_file else None

    def open(self) -> BufferedReader:
        """Open a file for reading."""
        system, path = self._reached
        try:
            if self.is_remote:
                return BufferedReader(system.open_input_file(path))  # type: ignore[arg-type]
            return open_file(Path(path))
        except (pa.ArrowException, OSError) as error:
            raise damaged(self, error) from error

    def schema(self) -> pa.Schema:
        """Read the columns of a file and its metadata."""
        try:
            with self.open() as file:
                return pq.read_schema(file)
        except (pa.ArrowException, OSError) as error:
            raise damaged(self, error) from error

    def table(self, filters: pc.Expression | None = None, *, most: int | None = None) -> pa.Table:
        """Read a table, or the rows that pass a filter. `most` limits its bytes."""
        try:
            with self.open() as file:
                if most is not None and (size := _unpacked(file)) > most:
                    raise damaged(self, say("corpus_error.large", most=most, size=size))
            system, path = self._reached
            # If Arrow closes it while Python exits, a Python file object would abort.
            with system.open_input_file(path) as source:
                return pq.read_table(source, filters=filters)
        except (pa.ArrowException, OSError) as error:
            raise damaged(self, error) from error

    def write(self, table: pa.Table, **how: object) -> int:
        """Write a table, whole or not at all; return its bytes.

        Leftovers of a process that was killed while writing are removed.
        """
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd", compression_level=9, **how)  # type: ignore[arg-type]
        data = sink.getvalue()
        system, path = self._reached
        if self.is_remote:  # a remote file appears only when it is closed
            with system.open_output_stream(path) as file:
                file.write(data)
            return data.size
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_whole({Path(path): data.to_pybytes()})
        return data.size

    def remove(self) -> None:
        """Remove a file if it exists."""
        system, path = self._reached
        if system.get_file_info(path).is_file:
            system.delete_file(path)


@cache
def _system(place: str) -> tuple[pafs.FileSystem, str]:
    if "://" not in place:
        return pafs.LocalFileSystem(), place
    try:
        system, path = pafs.FileSystem.from_uri(place)
    except (pa.ArrowException, OSError) as error:
        why = str(error).replace(place, _named(place))
        raise damaged(_named(place), why) from error
    return system, path.rstrip("/")


def _named(place: str) -> str:
    """Return a place for people, without the credentials and options of a URI."""
    if "://" not in place:
        return place
    scheme, _, path = place.partition("?")[0].partition("://")
    host, slash, inner = path.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{inner}"


def _unpacked(file: BufferedReader) -> int:
    """Return the bytes of a table in memory, from the footer of its file."""
    found = pq.read_metadata(file)
    return sum(found.row_group(i).total_byte_size for i in range(found.num_row_groups))


def _stamp(info: pafs.FileInfo) -> Stamp:
    return Stamp(info.size or 0, info.mtime_ns or 0)


def inside(folder: Store, name: str) -> Store:
    """Return a file of a folder. Raises AtlasError for a link to a file elsewhere."""
    found = folder / name
    if not found.is_remote:
        path = Path(str(found))
        try:
            if not path.resolve(strict=True).is_relative_to(Path(str(folder)).resolve()):
                raise AtlasError(say("corpus_error.link", path=path))
        except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself
            raise damaged(found, error) from error
    return found
