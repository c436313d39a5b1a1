"""Changes to a running model, by captured name: ablate a head, replace weights, patch a state.

    edits = Edits({"decoder.layers.1.cross_attn.heads[2]": torch.zeros_like})
    trace = model(source, target, edits=edits)

What a person changes is a value that such functions are made of: see `model.interventions`. Each
module asks for its own part and applies it where the value is computed, so everything that follows
sees the change. An edit is handed down: nothing is stored on a module, and two threads with other
edits over one model never meet.
"""

import dataclasses
import difflib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from types import MappingProxyType

import torch
from torch import Tensor

from model.config import TransformerConfig
from model.traces import HEAD_TENSORS, tensor_names

Edit = Callable[[Tensor], Tensor]
"""A pure function: a tensor in, a new one of the same shape out; for one head, without its axis."""


class PositionedEdit(ABC):
    """An edit that has to know at which position of the sentence the rows of a pass begin.

    A base class, not a protocol: a runtime check against a protocol evaluates its properties, so
    that each edit made of others would ask all of them twice.
    """

    @property
    def needs_all_rows(self) -> bool:
        """Whether each pass has to compute all rows for the edit to be right: then no cache."""
        return False

    @abstractmethod
    def of_pass(self, start: int) -> Edit:
        """Return the edit for a tensor whose first row is the position `start`."""


@dataclass(frozen=True, eq=False)
class OnRows(PositionedEdit):
    """An edit of some positions, the last axis but one of a tensor, and of no others.

    Decoding with a cache computes only the positions that it lacks: this edit finds its own among
    them, so that it does what it does in one pass over all positions.
    """

    rows: tuple[int, ...]
    """Positions in the sentence; those that are not there yet are left out."""
    edit: Edit
    """Sees and gives those rows alone."""

    def of_pass(self, start: int) -> Edit:
        """Return the edit for a tensor whose first row is the position `start`."""

        def edit(value: Tensor) -> Tensor:
            here = [row - start for row in self.rows if 0 <= row - start < value.size(-2)]
            if not here:
                return value
            places = torch.tensor(here, device=value.device)
            return value.index_copy(-2, places, self.edit(value.index_select(-2, places)))

        return edit


@dataclass(frozen=True, eq=False)
class OnAllRows(PositionedEdit):
    """An edit that gives a row what depends on other rows, or lets a row read later ones.

    Decoding with it runs the whole target so far at each step.
    """

    edit: Edit

    @property
    def needs_all_rows(self) -> bool:
        """Return True."""
        return True

    def of_pass(self, start: int) -> Edit:
        """Return the edit as it is."""
        if start:
            raise ValueError(f"this edit has to see all rows, got a pass from position {start} on")
        return self.edit


@dataclass(frozen=True, eq=False)
class InTurn(PositionedEdit):
    """Several edits of one tensor, each applied to the result of the one before."""

    edits: tuple["Edit | PositionedEdit", ...]

    @property
    def needs_all_rows(self) -> bool:
        """Whether one of them does."""
        return any(needs_all_rows(edit) for edit in self.edits)

    def of_pass(self, start: int) -> Edit:
        """Return them for a pass, as one."""
        edits = [of_pass(edit, start) for edit in self.edits]
        return lambda value: reduce(lambda tensor, edit: edit(tensor), edits, value)


@dataclass(frozen=True, eq=False)
class Bypass:
    """An edit of a layer's output that gives the layer's input: as if the layer were not there."""


AnyEdit = Edit | PositionedEdit | Bypass
"""What may be done to a captured tensor."""


def needs_all_rows(edit: AnyEdit) -> bool:
    """Return whether an edit is right only where each pass computes all rows."""
    return isinstance(edit, PositionedEdit) and edit.needs_all_rows


def of_pass(edit: Edit | PositionedEdit, start: int) -> Edit:
    """Return an edit for a pass whose first row is the position `start`."""
    return edit.of_pass(start) if isinstance(edit, PositionedEdit) else edit


def in_turn(made: Iterable[tuple[str, AnyEdit]]) -> dict[str, AnyEdit]:
    """Return one edit for each name, which does all edits of that name in the order given.

    A bypass replaces the edits before it, and is replaced by an edit after it.
    """
    chains: dict[str, list[Edit | PositionedEdit]] = {}
    bypassed: dict[str, AnyEdit] = {}
    for name, edit in made:
        if isinstance(edit, Bypass):
            bypassed[name] = edit
            chains.pop(name, None)
            continue
        bypassed.pop(name, None)
        chains.setdefault(name, []).extend(edit.edits if isinstance(edit, InTurn) else [edit])
    return bypassed | {
        name: InTurn(tuple(chain)) if len(chain) > 1 else chain[0] for name, chain in chains.items()
    }


_HEAD = re.compile(r"(?P<name>.*)\[(?P<head>\d+)\]")
_LAYER_OUTPUT = re.compile(r"(encoder|decoder)\.layers\.\d+\.output")


@dataclass(frozen=True, eq=False)
class Edits:
    """Functions by captured name, `NAME` for a whole tensor or `NAME[HEAD]` for one head of it."""

    by_name: Mapping[str, AnyEdit] = field(default_factory=dict)
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
        """Return at which position the rows of a pass begin."""
        return dataclasses.replace(self, start=start) if self.by_name else self

    @cached_property
    def need_all_rows(self) -> bool:
        """Whether each pass has to compute all rows, so that decoding must not use a cache."""
        return any(map(needs_all_rows, self.by_name.values()))

    def then(self, later: "Edits") -> "Edits":
        """Return both in one, the later made to what these leave."""
        return dataclasses.replace(
            self, by_name=in_turn([*self.by_name.items(), *later.by_name.items()])
        )

    def touches(self, name: str) -> bool:
        """Return whether some edit concerns this tensor."""
        return any(n == name or n.startswith(f"{name}[") for n in self.by_name)

    def apply(self, name: str, value: Tensor, *, bypass: Tensor | None = None) -> Tensor:
        """Return the tensor as edited, or as it is where no edit concerns it.

        `bypass` is what a `Bypass` puts in its place.
        """
        if not self.by_name:
            return value
        for key, found in self.by_name.items():
            if isinstance(found, Bypass):
                value = bypass if key == name and bypass is not None else value
                continue
            match = _HEAD.fullmatch(key)
            if key == name:
                value = self._checked(key, of_pass(found, self.start)(value), value)
            elif match and match["name"] == name:
                edit = of_pass(found, self.start)
                heads = list(value.unbind(dim=1))
                head = int(match["head"])
                if head >= len(heads):
                    raise ValueError(
                        f"{self.path}{name} has heads 0 to {len(heads) - 1}, got {key!r}"
                    )
                heads[head] = self._checked(key, edit(heads[head]), heads[head])
                value = torch.stack(heads, dim=1)
        return value

    def check(self, config: TransformerConfig) -> None:
        """Raise ValueError unless each name is one that this config captures, with such a head."""
        names = tensor_names(config) if self.by_name else ()
        for key, edit in self.by_name.items():
            match = _HEAD.fullmatch(key)
            name = match["name"] if match else key
            if name not in names:
                nearest = difflib.get_close_matches(name, names, n=3, cutoff=0.0)
                raise ValueError(f"nothing is captured as {name!r}; nearest: {', '.join(nearest)}")
            if isinstance(edit, Bypass) and not _LAYER_OUTPUT.fullmatch(key):
                raise ValueError(f"only the output of a layer can be bypassed, got {key!r}")
            if match and name.rpartition(".")[2] not in HEAD_TENSORS:
                raise ValueError(f"{name} has no heads to choose from, got {key!r}")
            if match and int(match["head"]) >= config.n_heads:
                raise ValueError(f"{name} has heads 0 to {config.n_heads - 1}, got {key!r}")

    def _checked(self, key: str, edited: Tensor, value: Tensor) -> Tensor:
        if not isinstance(edited, Tensor):
            raise TypeError(
                f"an edit must give a new tensor, and leave its own as it is: that of "
                f"{self.path}{key} gave {type(edited).__name__}"
            )
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
