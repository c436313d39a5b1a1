"""Where the memory of finished runs goes."""

import ctypes
import platform

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Parameters of glibc's mallopt, as its malloc.h numbers them."""
KEPT = 1 << 30
"""Bytes that may lie free before some go back to the system."""
LARGEST = 1 << 25
"""Tensors beyond 32 MiB, the most that glibc lets one set, are mapped one by one as before."""


def keep_freed_memory() -> bool:
    """Let a long-lived process reuse the memory of one run for the next; tell whether it will.

    A trace of 512 tokens at the paper's base sizes is 350 MB. glibc gives freed memory of that size
    back to the system at once, and the next run pays for 90,000 page faults, a fifth of its time.
    Other C libraries are left as they are.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(M_TRIM_THRESHOLD, KEPT) and mallopt(M_MMAP_THRESHOLD, LARGEST))
