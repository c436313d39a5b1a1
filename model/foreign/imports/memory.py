"""The memory that a foreign model would take, and what there is: asked before it is loaded."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

MOST_WEIGHTS = 2_000_000_000
"""Bytes of weights in memory."""

_MEMORY = Path("/proc/meminfo")
_GROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Estimate:
    """The size of a model once it is loaded, known from the headers of its files."""

    n_parameters: int
    dtype: torch.dtype
    """In which weights are kept: float32, or bfloat16 where that would not fit and the file has no
    more digits. Everything is computed in float32."""
    free: int | None
    """Free memory in bytes; None where this system does not say."""

    @property
    def n_bytes(self) -> int:
        """Memory that its weights take."""
        return self.n_parameters * self.dtype.itemsize

    @property
    def in_words(self) -> str:
        """The memory for people: "0.5 GB", "1.9 GB in bfloat16"."""
        kept = "" if self.dtype == torch.float32 else f" in {str(self.dtype).rpartition('.')[2]}"
        return in_words(self.n_bytes) + kept

    @property
    def limit(self) -> int:
        """Most that may be loaded: MOST_WEIGHTS, or half of what is free."""
        return MOST_WEIGHTS if self.free is None else min(MOST_WEIGHTS, self.free // 2)

    def check(self) -> None:
        """Raise ValueError on what would not fit."""
        if self.n_bytes > self.limit:
            raise ValueError(
                f"its {self.n_parameters:,} parameters would take {in_words(self.n_bytes)} of "
                f"memory, and at most {in_words(self.limit)} are loaded: {in_words(MOST_WEIGHTS)}"
                + (f", or half of the {in_words(self.free)} that are free" if self.free else "")
                + "; choose a smaller model"
            )


def estimate(tensors: Iterable[Tensor]) -> Estimate:
    """Estimate from the tensors that will be held, which need no numbers."""
    held = list(tensors)
    n_parameters = sum(tensor.numel() for tensor in held)
    free = free_memory()
    whole = Estimate(n_parameters, torch.float32, free)
    is_short = all(tensor.dtype == torch.bfloat16 for tensor in held)
    if whole.n_bytes <= whole.limit or not is_short:
        return whole
    return Estimate(n_parameters, torch.bfloat16, free)


def free_memory() -> int | None:
    """Return the bytes that this process may still take; None where this system does not say."""
    found = [size for size in (_of_machine(), _of_group()) if size is not None]
    return min(found, default=None)


def in_words(n_bytes: int) -> str:
    """Write a size: "1.3 GB", "27 MB"."""
    if n_bytes >= 1e9:
        return f"{n_bytes / 1e9:.1f} GB"
    return f"{n_bytes / 1e6:.0f} MB" if n_bytes >= 1e7 else f"{n_bytes / 1e6:.1f} MB"


def _of_machine() -> int | None:
    try:
        for line in _MEMORY.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def _of_group() -> int | None:
    """Return what the container's own limit leaves, where it is in one."""
    try:
        most = int((_GROUPS / "memory.max").read_text())
        return max(0, most - int((_GROUPS / "memory.current").read_text()))
    except (OSError, ValueError):
        return None
