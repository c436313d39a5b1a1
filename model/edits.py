"""Changes to a running model, by captured name: ablate a head, replace weights, patch a state.

    edits = Edits({"decoder.layers.1.cross_attn.heads[2]": torch.zeros_like})
    trace = model(source, target, edits=edits)

The app's changes are values from which such functions are made: see `model.interventions`. Each
module takes its own part of the edits and applies it at the point of computation, so all later
computations see the change. Edits are passed as arguments. Nothing is stored on a module, so
threads with different edits can share a model.
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
from model.tensor_names import HEAD_TENSORS, tensor_names

Edit = Callable[[Tensor], Tensor]
"""A pure function from a tensor to a new one of the same shape; one head has no head axis."""


class PositionedEdit(ABC):
    """An edit that needs the position in the sentence at which the rows of a pass begin.

    This is a base class and not a protocol because a runtime check against a protocol evaluates its
    properties, so an edit made of several would query each of them twice.
    """

    @property
    def needs_all_rows(self) -> bool:
        """Whether the edit is only correct if each pass computes all rows, without a cache."""
        return False

    @abstractmethod
    def of_pass(self, start: int) -> Edit:
        """Return the edit for a tensor whose first row is position `start`."""


@dataclass(frozen=True, eq=False)
class OnRows(PositionedEdit):
    """An edit of some positions only, along the second-to-last axis of a tensor.

    Decoding with a cache computes only new positions. This edit finds its own positions among them,
    so that it has the same effect as in one pass over all positions.
    """

    rows: tuple[int, ...]
    """The positions in the text; those beyond its current end are ignored."""
    edit: Edit
    """The edit, which sees and returns only those rows."""

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
    """An edit that makes a row depend on other rows, or lets it read later ones.

    Decoding with such an edit runs the whole target so far at each step.
    """

    edit: Edit

    @property
    def needs_all_rows(self) -> bool:
        """Return True."""
        return True

    def of_pass(self, start: int) -> Edit:
        """Return the edit unchanged."""
        if start:
            raise ValueError(
                f"this edit needs all rows, got a pass that begins at position {start}"
            )
        return self.edit


@dataclass(frozen=True, eq=False)
class InTurn(PositionedEdit):
    """Several edits of one tensor, each applied to the result of the one before."""

    edits: tuple["Edit | PositionedEdit", ...]

    @property
    def needs_all_rows(self) -> bool:
        """Whether one of the edits needs all rows."""
        return any(needs_all_rows(edit) for edit in self.edits)

    def of_pass(self, start: int) -> Edit:
        """Return the edits for a pass, combined into one."""
        edits = [of_pass(edit, start) for edit in self.edits]
        return lambda value: reduce(lambda tensor, edit: edit(tensor), edits, value)


@dataclass(frozen=True, eq=False)
class Bypass:
    """An edit that replaces a layer's output by its input, as if the layer were absent."""


AnyEdit = Edit | PositionedEdit | Bypass
"""An edit of a captured tensor, of any kind."""


def needs_all_rows(edit: AnyEdit) -> bool:
    """Return whether an edit is only correct if each pass computes all rows."""
    return isinstance(edit, PositionedEdit) and edit.needs_all_rows


def of_pass(edit: Edit | PositionedEdit, start: int) -> Edit:
    """Return an edit for a pass whose first row is the position `start`."""
    return edit.of_pass(start) if isinstance(edit, PositionedEdit) else edit


def in_turn(made: Iterable[tuple[str, AnyEdit]]) -> dict[str, AnyEdit]:
    """Return one edit for each name, which applies all edits of that name in the given order.

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
    """Functions by captured name: `NAME` for a whole tensor, `NAME[HEAD]` for one of its heads."""

    by_name: Mapping[str, AnyEdit] = field(default_factory=dict)
    path: str = ""
    """The path of the module to which this part belongs, for messages."""
    start: int = 0
    """The position of the first computed row, which is the number of positions in the cache."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", MappingProxyType(dict(self.by_name)))

    def part(self, module: str) -> "Edits":
        """Return the edits of one submodule, under its own names."""
        if not self.by_name:
            return self
        prefix = f"{module}."
        return Edits(
            {n.removeprefix(prefix): e for n, e in self.by_name.items() if n.startswith(prefix)},
            f"{self.path}{prefix}",
            self.start,
        )

    def at(self, start: int) -> "Edits":
        """Return the edits for a pass whose rows begin at a position."""
        return dataclasses.replace(self, start=start) if self.by_name else self

    @cached_property
    def need_all_rows(self) -> bool:
        """Whether each pass must compute all rows, so that decoding must not use a cache."""
        return any(map(needs_all_rows, self.by_name.values()))

    def then(self, later: "Edits") -> "Edits":
        """Combine both; the later edits apply to the result of these."""
        return dataclasses.replace(
            self, by_name=in_turn([*self.by_name.items(), *later.by_name.items()])
        )

    def touches(self, name: str) -> bool:
        """Return whether some edit concerns this tensor."""
        return any(n == name or n.startswith(f"{name}[") for n in self.by_name)

    def apply(self, name: str, value: Tensor, *, bypass: Tensor | None = None) -> Tensor:
        """Return the edited tensor, or the tensor itself if no edit concerns it.

        `bypass` is the replacement that a `Bypass` uses.
        """
        if not self.by_name:
            return value
        for key, found in self.by_name.items():
            if isinstance(found, Bypass):
                value = bypass if key == name and bypass is not None else value
                continue
            match = _HEAD.fullmatch(key)
            if key == name:
                value = self._edited(key, of_pass(found, self.start), value)
            elif match and match["name"] == name:
                edit = of_pass(found, self.start)
                heads = list(value.unbind(dim=1))
                head = int(match["head"])
                if head >= len(heads):
                    raise ValueError(
                        f"{self.path}{name} has heads 0 to {len(heads) - 1}, got {key!r}"
                    )
                heads[head] = self._edited(key, edit, heads[head])
                value = torch.stack(heads, dim=1)
        return value

    def check(self, config: TransformerConfig) -> None:
        """Raise ValueError unless this config captures each name and has each head."""
        names = tensor_names(config) if self.by_name else ()
        for key, edit in self.by_name.items():
            match = _HEAD.fullmatch(key)
            name = match["name"] if match else key
            if name not in names:
                nearest = difflib.get_close_matches(name, names, n=3, cutoff=0.0)
                raise ValueError(f"no tensor is called {name!r}; nearest: {', '.join(nearest)}")
            if isinstance(edit, Bypass) and not _LAYER_OUTPUT.fullmatch(key):
                raise ValueError(f"only the output of a layer can be bypassed, got {key!r}")
            if match and name.rpartition(".")[2] not in HEAD_TENSORS:
                raise ValueError(f"{name} has no heads to choose from, got {key!r}")
            if match and int(match["head"]) >= config.n_heads:
                raise ValueError(f"{name} has heads 0 to {config.n_heads - 1}, got {key!r}")

    def _edited(self, key: str, edit: Edit, value: Tensor) -> Tensor:
        before = changes_of(value)
        edited = edit(value)
        if not isinstance(edited, Tensor) or changes_of(value) != before:
            kind = type(edited).__name__
            raise TypeError(
                "an edit must return a new tensor and leave its input unchanged: the edit of "
                f"{self.path}{key} " + ("changed it" if kind == "Tensor" else f"returned {kind}")
            )
        if edited.shape != value.shape:
            raise ValueError(
                f"an edit must keep the shape: {self.path}{key} is {tuple(value.shape)}, "
                f"the edit returned {tuple(edited.shape)}"
            )
        return edited


NO_EDITS = Edits()


def changes_of(x: Tensor) -> int | None:
    """Count the changes of a tensor in place; None if torch does not count them."""
    return None if x.is_inference() else x._version


def ablate(tensor: Tensor) -> Tensor:
    """Set everything to zero, as an edit."""
    return torch.zeros_like(tensor)


def scale(factor: float) -> Edit:
    """Make an edit that multiplies by a factor."""
    return lambda tensor: tensor * factor


def replace(new: Tensor) -> Edit:
    """Make an edit that replaces a tensor by another, converted to its device and dtype."""
    return lambda tensor: new.to(tensor)
