"""What happens to the memory of finished runs: most is reused, the rest goes back to the system."""

import ctypes
import os
import platform
from collections.abc import Callable
from pathlib import Path
from threading import Lock

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
"""Parameters of glibc's mallopt, as its malloc.h numbers them."""
KEPT = 1 << 30
"""Bytes that may lie free before some go back to the system."""
LARGEST = 1 << 25
"""Tensors beyond 32 MiB, the most that glibc lets one set, are mapped one by one as before."""
HEAPS = 2
"""Heaps that the threads share. Each page runs in a thread, two at a time; by default glibc makes
eight heaps a core, and memory that is free in one does not serve a thread of another."""
STEP = 50_000_000
"""Bytes that a process has to have grown by before it is trimmed again."""
_STATM = Path("/proc/self/statm")


def keep_freed_memory() -> bool:
    """Let a long-lived process reuse the memory of one run for the next; tell whether it will.

    A trace of 512 tokens at the paper's base sizes is 350 MB. glibc gives freed memory of that size
    back to the system at once, and the next run pays for 90,000 page faults, a fifth of its time.
    Other C libraries are left as they are.
    """
    if not _is_glibc():
        return False
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(M_ARENA_MAX, HEAPS)
    return bool(mallopt(M_TRIM_THRESHOLD, KEPT) and mallopt(M_MMAP_THRESHOLD, LARGEST))


class Trimmer:
    """Returns free memory to the system once the process is larger than a limit.

    Reused memory comes back in pieces. After thousands of different runs the free ones lie
    between those in use, where the next run does not find room in them.
    """

    def __init__(
        self,
        limit: int,
        measure: Callable[[], int] | None = None,
        trim: Callable[[], object] | None = None,
    ) -> None:
        """Prepare to keep a process below `limit` bytes of resident memory, if it can be."""
        can = _is_glibc() and _STATM.exists()
        self._measure = measure or (resident if can else lambda: 0)
        self._trim = trim or (lambda: ctypes.CDLL(None).malloc_trim(0))
        self._limit = limit
        self._least = 0
        """Resident bytes after the last trim, which returns no memory in use."""
        self._lock = Lock()

    def trim(self) -> None:
        """Return free memory if the process is above its limit and has grown since the last time.

        Takes a few milliseconds then, and a few microseconds otherwise.
        """
        if self._measure() <= max(self._limit, self._least + STEP):
            return
        if not self._lock.acquire(blocking=False):  # another thread is at it
            return
        try:
            self._trim()
            self._least = self._measure()
        finally:
            self._lock.release()


def resident() -> int:
    """Return the bytes of memory that this process has at present, on Linux."""
    pages = int(_STATM.read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _is_glibc() -> bool:
    return platform.libc_ver()[0] == "glibc"
