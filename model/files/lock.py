"""A lock file, which names the process that works in a place and keeps others out."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from model.files.durable import is_running

try:
    import fcntl
except ImportError:  # outside POSIX, where `is_running` never reports that a process has ended
    fcntl = None


class LockedError(ValueError):
    """Another process is at work in a place; the message names the process and a remedy."""


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file that is new, or left by a process that has ended; remove it at the end.

    Raises LockedError if another process holds it.
    """
    while True:
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            _remove_stale(path)
        else:
            break
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
        yield
    finally:
        path.unlink(missing_ok=True)


def _remove_stale(path: Path) -> None:
    try:
        file = path.open(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return
    with file:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)  # of several processes, only one removes it
        written = file.read(20)
        holder = int(written) if written.isdecimal() else None
        if holder is None or (holder != os.getpid() and is_running(holder)):
            raise LockedError(
                f"{path} is held by {f'process {holder}' if holder else 'another process'}: "
                "wait until that has ended; if no process is at work there, delete the file"
            )
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                path.unlink()
