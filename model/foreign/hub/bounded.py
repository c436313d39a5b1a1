"""The file to which a download writes: limited in size, counted, and stoppable."""

import io
from collections.abc import Callable
from typing import BinaryIO


class StoppedError(Exception):
    """A download that its user has stopped."""


class TooLongError(ValueError):
    """A download larger than the size that the Hub stated."""


class BoundedFile:
    """The target of a download, in memory or on the disk."""

    def __init__(
        self,
        file: BinaryIO | None,
        size: int,
        *,
        tell: Callable[[int], None] = lambda _: None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Accept at most `size` bytes; call `tell` with the number of bytes after each write."""
        self._file = file or io.BytesIO()
        self._size = size
        self._tell = tell
        self._is_stopped = is_stopped

    def write(self, data: bytes) -> int:
        """Write bytes. Raises TooLongError above the stated size, StoppedError if stopped."""
        if self._is_stopped():
            raise StoppedError
        if self._file.tell() + len(data) > self._size:
            raise TooLongError
        written = self._file.write(data)
        self._tell(self._file.tell())
        return written

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._file.tell()

    def seek(self, place: int, whence: int = 0) -> int:
        """Return to an earlier byte, if the server restarts the file."""
        return self._file.seek(place, whence)

    def truncate(self, size: int | None = None) -> int:
        """Drop the bytes written so far, if the server restarts the file."""
        return self._file.truncate(size)

    def content(self) -> bytes:
        """Return the bytes written to memory."""
        assert isinstance(self._file, io.BytesIO)
        return self._file.getvalue()
