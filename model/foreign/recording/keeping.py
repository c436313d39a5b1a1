"""What of a pass is kept, and where."""

import fnmatch
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from model.files.json_fields import shorten


@dataclass(frozen=True)
class Keep:
    """Which tensors of a pass are kept, and on which device."""

    names: tuple[str, ...] | None = None
    """Patterns of their names, as a shell has them; None for all that is recorded."""
    device: torch.device | None = None
    """None for where they were computed."""

    def wants(self, name: str) -> bool:
        """Return whether a tensor is kept."""
        return self.names is None or any(fnmatch.fnmatchcase(name, each) for each in self.names)

    def brought(self, x: Tensor) -> Tensor:
        """Bring a tensor to where it is kept."""
        return x if self.device is None else x.to(self.device)

    def check(self, names: Collection[str]) -> None:
        """Raise ValueError where a pattern fits none of the names of a pass."""
        for pattern in self.names or ():
            if not any(fnmatch.fnmatchcase(name, pattern) for name in names):
                some = shorten(", ".join(names))
                raise ValueError(f"no name fits {pattern!r}; a pass has {some}")


ALL = Keep()


@dataclass(frozen=True, eq=False)
class PickedTrace:
    """The tensors of a pass that were asked for, by name, in the order they were computed."""

    tensors: Mapping[str, Tensor]
