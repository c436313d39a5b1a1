"""The file that a download writes: bounded in size, counted, and stopped on request."""

import io
from collections.abc import Callable
from typing import BinaryIO


class StoppedError(Exception):
    """A download that whoever asked for it has stopped."""


class TooLongError(ValueError):
    """More came than the Hub had said."""


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
        """Take at most so many bytes; `tell` hears how many there are, whenever some came."""
        self._file = file or io.BytesIO()
        self._size = size
        self._tell = tell
        self._is_stopped = is_stopped

    def write(self, data: bytes) -> int:
        """Write what came. Raises TooLongError on more than was said, StoppedError when asked."""
        if self._is_stopped():
            raise StoppedError
        if self._file.tell() + len(data) > self._size:
            raise TooLongError
        written = self._file.write(data)
        self._tell(self._file.tell())
        return written

    def tell(self) -> int:
        """Return how many bytes there are."""
        return self._file.tell()

    def seek(self, place: int, whence: int = 0) -> int:
        """Go back to a byte, if the server restarts the file."""
        return self._file.seek(place, whence)

    def truncate(self, size: int | None = None) -> int:
        """Drop the earlier bytes, if the server restarts the file."""
        return self._file.truncate(size)

    def content(self) -> bytes:
        """Return the bytes in memory."""
        assert isinstance(self._file, io.BytesIO)
        return self._file.getvalue()
