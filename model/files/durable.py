"""Writes files atomically, and reads only regular files."""

import os
import re
import stat
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path

_TEMPORARY = re.compile(r"\..+\.(?:json|parquet|safetensors)\.(?P<process>[0-9]{1,9})\.tmp")


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write all files under temporary names, then move each into place, in the given order.

    Temporary files that a killed process left behind are removed.
    """
    for folder in {path.parent for path in contents}:
        _sweep(folder)
    temporary = {path: path.with_name(f".{path.name}.{os.getpid()}.tmp") for path in contents}
    try:
        for path, data in contents.items():
            with temporary[path].open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for path in contents:
            temporary[path].replace(path)
    finally:
        for path in temporary.values():
            path.unlink(missing_ok=True)


def open_file(path: Path) -> BufferedReader:
    """Open a regular file for reading, but not a pipe or a device.

    Raises OSError if it cannot be read.
    """
    _size_of_regular(path)
    return path.open("rb")


def read_file(path: Path, *, most: int) -> bytes:
    """Read a regular file of at most `most` bytes.

    Raises OSError if it cannot be read, ValueError if it is too large.
    """
    size = _size_of_regular(path)
    if size > most:
        raise ValueError(f"it must have at most {most:,} bytes, got {size:,}")
    with path.open("rb") as file:
        return file.read(size)


def _size_of_regular(path: Path) -> int:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # before opening, since a pipe would block for ever
        raise OSError(None, "it is not a regular file")
    return status.st_size


def is_running(process: int) -> bool:
    """Return whether a process of this machine is alive; True if that cannot be determined."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _sweep(folder: Path) -> None:
    for path in folder.glob(".*.tmp"):
        match = _TEMPORARY.fullmatch(path.name)
        if match and not is_running(int(match["process"])):
            path.unlink(missing_ok=True)
