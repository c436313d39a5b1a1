"""Which tensors of a pass are kept, and where."""

import fnmatch
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from model.files.json_fields import shorten


@dataclass(frozen=True)
class Keep:
    """A choice of the tensors of a pass to keep, and of their device."""

    names: tuple[str, ...] | None = None
    """Patterns of their names, as in a shell; None for all recorded tensors."""
    device: torch.device | None = None
    """The device; None for the one on which each tensor was computed."""

    def wants(self, name: str) -> bool:
        """Return whether a tensor is kept."""
        return self.names is None or any(fnmatch.fnmatchcase(name, each) for each in self.names)

    def brought(self, x: Tensor) -> Tensor:
        """Move a tensor to the device that keeps it."""
        return x if self.device is None else x.to(self.device)

    def check(self, names: Collection[str]) -> None:
        """Raise ValueError if a pattern fits none of the names of a pass."""
        for pattern in self.names or ():
            if not any(fnmatch.fnmatchcase(name, pattern) for name in names):
                some = shorten(", ".join(names))
                raise ValueError(f"no tensor name matches {pattern!r}; a pass has {some}")


ALL = Keep()


@dataclass(frozen=True, eq=False)
class PickedTrace:
    """The requested tensors of a pass by name, in the order in which they were computed."""

    tensors: Mapping[str, Tensor]
