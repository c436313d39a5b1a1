"""Estimates the memory that a third-party model would take, before it is loaded."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from model.files.sizes import in_words

MOST_READ = 2_000_000_000
"""The largest weights, in bytes, that are read into memory, if half of the free memory has room
for them; larger ones are mapped from the file."""

_MEMORY = Path("/proc/meminfo")
_GROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Estimate:
    """The size of a model when loaded, computed from the headers of its files."""

    n_parameters: int
    dtype: torch.dtype
    """The number type of weights and computation: the file's type, or float32 if it has several."""
    free: int | None
    """The free memory in bytes; None if the system does not report it."""

    @property
    def n_bytes(self) -> int:
        """The memory that the weights take, in bytes."""
        return self.n_parameters * self.dtype.itemsize

    @property
    def in_words(self) -> str:
        """The memory in words: "0.5 GB", "1.9 GB in bfloat16"."""
        kept = "" if self.dtype == torch.float32 else f" in {str(self.dtype).rpartition('.')[2]}"
        return in_words(self.n_bytes) + kept

    @property
    def limit(self) -> int:
        """The most bytes to load: nine tenths of the free memory, or MOST_READ if it is unknown."""
        return MOST_READ if self.free is None else self.free * 9 // 10

    @property
    def is_mapped(self) -> bool:
        """Whether the weights are so large that they stay in the file, mapped into memory."""
        return self.free is not None and self.n_bytes > min(MOST_READ, self.free // 2)

    def check(self) -> None:
        """Raise ValueError if the model would not fit."""
        if self.n_bytes > self.limit:
            raise ValueError(
                f"its {self.n_parameters:,} parameters would take {in_words(self.n_bytes)} of "
                f"memory, but Loupe loads at most {in_words(self.limit)}"
                + (f" of the {in_words(self.free)} that are free" if self.free else "")
                + "; choose a smaller model"
            )


def estimate(tensors: Iterable[Tensor]) -> Estimate:
    """Estimate the memory from the tensors that will be kept, which need no data."""
    held = list(tensors)
    dtypes = {tensor.dtype for tensor in held}
    dtype = dtypes.pop() if len(dtypes) == 1 else torch.float32
    return Estimate(sum(tensor.numel() for tensor in held), dtype, free_memory())


def free_memory() -> int | None:
    """Return the bytes that this process can still allocate; None if the system reports none."""
    found = [size for size in (_of_machine(), _of_group()) if size is not None]
    return min(found, default=None)


def _of_machine() -> int | None:
    try:
        for line in _MEMORY.read_text("utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def _of_group() -> int | None:
    """Return the memory left below the limit of the container; None without such a limit."""
    try:
        most = int((_GROUPS / "memory.max").read_text("utf-8"))
        return max(0, most - int((_GROUPS / "memory.current").read_text("utf-8")))
    except (OSError, ValueError):
        return None
