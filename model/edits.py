"""Changes to a running model, by captured name: ablate a head, replace weights, patch a state.

    edits = Edits({"decoder.layers.1.cross_attn.heads[2]": torch.zeros_like})
    trace = model(source, target, edits=edits)

Each module asks for its own part and applies it where the value is computed, so everything that
follows sees the change. An edit is a value that is handed down: nothing is stored on a module, and
two threads with different edits over one model never meet.
"""

import dataclasses
import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import torch
from torch import Tensor

from model.config import TransformerConfig
from model.traces import HEAD_TENSORS, tensor_names

Edit = Callable[[Tensor], Tensor]
"""A pure function: a tensor in, a new one of the same shape out; for one head, without its axis."""


@dataclass(frozen=True, eq=False)
class OnRows:
    """An edit of some positions, the last axis but one of a tensor, and of no others.

    Decoding with a cache computes only the positions that it lacks: this edit finds its own among
    them, so that it does what it does in one pass over all positions.
    """

    rows: tuple[int, ...]
    """Positions in the sentence; those that are not there yet are left out."""
    edit: Edit
    """Sees and gives those rows alone."""

    def of_pass(self, start: int) -> Edit:
        """Give the edit for a tensor whose first row is the position `start`."""

        def edit(value: Tensor) -> Tensor:
            here = [row - start for row in self.rows if 0 <= row - start < value.size(-2)]
            if not here:
                return value
            places = torch.tensor(here, device=value.device)
            return value.index_copy(-2, places, self.edit(value.index_select(-2, places)))

        return edit


_HEAD = re.compile(r"(?P<name>.*)\[(?P<head>\d+)\]")


@dataclass(frozen=True, eq=False)
class Edits:
    """Functions by captured name, `NAME` for a whole tensor or `NAME[HEAD]` for one head of it."""

    by_name: Mapping[str, Edit | OnRows] = field(default_factory=dict)
    path: str = ""
    """Name of the module whose part this is, for messages."""
    start: int = 0
    """Position of the first row that is computed: with a cache, the number of those in it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", MappingProxyType(dict(self.by_name)))

    def part(self, module: str) -> "Edits":
        """Hand on what concerns one submodule, under its own names."""
        if not self.by_name:
            return self
        prefix = f"{module}."
        return Edits(
            {n.removeprefix(prefix): e for n, e in self.by_name.items() if n.startswith(prefix)},
            f"{self.path}{prefix}",
            self.start,
        )

    def at(self, start: int) -> "Edits":
        """Say at which position the rows of a pass begin."""
        return dataclasses.replace(self, start=start) if self.by_name else self

    def touches(self, name: str) -> bool:
        """Tell whether some edit concerns this tensor."""
        return any(n == name or n.startswith(f"{name}[") for n in self.by_name)

    def apply(self, name: str, value: Tensor) -> Tensor:
        """Give the tensor as edited, or as it is where no edit concerns it."""
        if not self.by_name:
            return value
        for key, found in self.by_name.items():
            edit = found.of_pass(self.start) if isinstance(found, OnRows) else found
            match = _HEAD.fullmatch(key)
            if key == name:
                value = self._checked(key, edit(value), value)
            elif match and match["name"] == name:
                heads = list(value.unbind(dim=1))
                head = int(match["head"])
                heads[head] = self._checked(key, edit(heads[head]), heads[head])
                value = torch.stack(heads, dim=1)
        return value

    def check(self, config: TransformerConfig) -> None:
        """Raise ValueError unless each name is one that this config captures, with such a head."""
        names = tensor_names(config) if self.by_name else ()
        for key in self.by_name:
            match = _HEAD.fullmatch(key)
            name = match["name"] if match else key
            if name not in names:
                nearest = difflib.get_close_matches(name, names, n=3, cutoff=0.0)
                raise ValueError(f"nothing is captured as {name!r}; nearest: {', '.join(nearest)}")
            if match and name.rpartition(".")[2] not in HEAD_TENSORS:
                raise ValueError(f"{name} has no heads to choose from, got {key!r}")
            if match and int(match["head"]) >= config.n_heads:
                raise ValueError(f"{name} has heads 0 to {config.n_heads - 1}, got {key!r}")

    def _checked(self, key: str, edited: Tensor, value: Tensor) -> Tensor:
        if edited.shape != value.shape:
            raise ValueError(
                f"an edit must keep the shape: {self.path}{key} is {tuple(value.shape)}, "
                f"the edit gave {tuple(edited.shape)}"
            )
        return edited


NO_EDITS = Edits()


def ablate(tensor: Tensor) -> Tensor:
    """Edit that sets everything to zero."""
    return torch.zeros_like(tensor)


def scale(factor: float) -> Edit:
    """Make an edit that multiplies by a factor."""
    return lambda tensor: tensor * factor


def replace(new: Tensor) -> Edit:
    """Make an edit that puts another tensor in place, brought to the device and dtype in use."""
    return lambda tensor: new.to(tensor)
