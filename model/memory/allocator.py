"""Manages the memory of finished runs: most is reused, the rest returns to the system."""

import ctypes
import os
import platform
from collections.abc import Callable
from pathlib import Path
from threading import Lock

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
"""The parameters of glibc's mallopt, as numbered in malloc.h."""
KEPT = 1 << 30
"""The number of free bytes above which some return to the system."""
LARGEST = 1 << 25
"""Tensors above 32 MiB, the largest threshold that glibc allows, are still mapped one by one."""
HEAPS = 2
"""The number of heaps that threads share. Each page runs in a thread, two at a time. By default
glibc makes eight heaps per core, and free memory in one does not serve threads of another."""
STEP = 50_000_000
"""The growth of a process, in bytes, after which it is trimmed again."""
_STATM = Path("/proc/self/statm")


def keep_freed_memory() -> bool:
    """Let a long-lived process reuse the memory of finished runs; return whether it will.

    A trace of 512 tokens at the paper's base sizes has 350 MB. glibc returns freed memory of that
    size to the system at once, so the next run has 90,000 page faults, a fifth of its time. Other C
    libraries are not changed.
    """
    if not _is_glibc():
        return False
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(M_ARENA_MAX, HEAPS)
    return bool(mallopt(M_TRIM_THRESHOLD, KEPT) and mallopt(M_MMAP_THRESHOLD, LARGEST))


class Trimmer:
    """Returns free memory to the system when the process exceeds a limit.

    Reused memory becomes fragmented. After thousands of different runs, the free pieces between
    those in use are too small for the next run.
    """

    def __init__(
        self,
        limit: int,
        measure: Callable[[], int] | None = None,
        trim: Callable[[], object] | None = None,
    ) -> None:
        """Prepare to keep a process below `limit` bytes of resident memory, if possible."""
        can = _is_glibc() and _STATM.exists()
        self._measure = measure or (resident if can else lambda: 0)
        self._trim = trim or (lambda: ctypes.CDLL(None).malloc_trim(0))
        self._limit = limit
        self._least = 0
        """The resident bytes after the last trim, which does not return memory in use."""
        self._lock = Lock()

    def trim(self) -> None:
        """Return free memory if the process is above its limit and has grown since the last trim.

        This takes a few milliseconds then, and a few microseconds otherwise.
        """
        if self._measure() <= max(self._limit, self._least + STEP):
            return
        if not self._lock.acquire(blocking=False):  # another thread is trimming
            return
        try:
            self._trim()
            self._least = self._measure()
        finally:
            self._lock.release()


def resident() -> int:
    """Return the resident memory of this process in bytes, on Linux."""
    pages = int(_STATM.read_text("utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _is_glibc() -> bool:
    return platform.libc_ver()[0] == "glibc"
