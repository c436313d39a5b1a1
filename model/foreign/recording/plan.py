"""The plan of a model: which of its modules read and return the tensors of a record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from torch import Tensor

from model.anatomy import Anatomy, Placement
from model.config import Positions
from model.foreign.recording.functions import Call
from model.foreign.recording.log import ModuleCall
from model.foreign.recording.reads import Reads

Side = Literal["encoder", "decoder"]
EMBEDDINGS: Mapping[Side, str] = {"encoder": "source_embedding", "decoder": "target_embedding"}


@dataclass(frozen=True)
class Tap:
    """The place of a record's tensor in a module's input or output."""

    name: str
    """Its name in the record."""
    factor: float = 1.0
    """The factor from the module's tensor to the record's."""
    in_place: bool = False
    """Whether other modules read the same tensor, so that an edit has to be written into it."""
    one_for_all: bool = False
    """Whether the module returns it for each sentence, and the record has it once."""
    turned: bool = False
    """Whether the module has positions in the first axis, in which the record has sentences."""


APART = "="
"""The prefix of a tensor that no record contains, needed to check a sum."""


class Equation(NamedTuple):
    """Tensors of a pass, one of which is the sum of the others."""

    terms: tuple[str, ...]
    total: str


@dataclass(frozen=True)
class StackPlan:
    """One stack of layers."""

    side: Side
    placement: Placement
    """The placement of the norms in its first layer."""
    numbers: tuple[int, ...]
    """The numbers of its layers in the model, which appear in their names."""


@dataclass(eq=False)
class Plan:
    """The places of all parts that one pass has proven."""

    entering: dict[Call, list[Tap]] = field(default_factory=dict)
    leaving: dict[Call, list[Tap]] = field(default_factory=dict)
    attentions: dict[Call, str] = field(default_factory=dict)
    """The name of each attention, such as `decoder.layers.1.self_attn`, by its module and the
    number of the module's earlier attentions."""
    positions: dict[str, Tensor | Positions] = field(default_factory=dict)
    """For each embedding, by name, the table or the formula of its positions if no module returns
    them."""
    stacks: list[StackPlan] = field(default_factory=list)
    generator: Call | None = None
    """The module that computes the logits, if the model's output does not name them."""
    turns_logits: bool = False
    """Whether the logits have positions in their first axis."""
    between: tuple[str, ...] = ()
    """The names of the inputs and outputs of layers without attention, which no record has."""
    sums: list["Equation"] = field(default_factory=list)
    """The equations that proved the parts, and must hold in every later pass."""
    hooks_suffice: bool = False
    """Whether torch's functions need not be searched, because transformers' interface reports every
    attention, and no input or output of a module is changed in place."""

    @property
    def heard(self) -> set[str] | None:
        """The modules that need hooks; None if any module may contain an attention."""
        if not self.hooks_suffice:
            return None
        calls = [*self.entering, *self.leaving, *self.attentions]
        return {path for path, _ in (*calls, *([self.generator] if self.generator else []))}

    @property
    def names(self) -> set[str]:
        """The names of the tensors and attentions that every pass must have."""
        taps = (*self.entering.values(), *self.leaving.values())
        names = {tap.name for each in taps for tap in each if not tap.name.startswith(APART)}
        return names | set(self.attentions.values())

    @cached_property
    def summed(self) -> frozenset[str]:
        """The names of all tensors in the sums."""
        return frozenset(name for each in self.sums for name in (*each.terms, each.total))

    @property
    def own_names(self) -> Mapping[str, str]:
        """Loupe's names of the attentions, by their own names in the model."""
        return {own_name(*call): name for call, name in self.attentions.items()}

    def enters(self, call: ModuleCall, tap: Tap) -> None:
        """Add a tensor that a module reads."""
        self.entering.setdefault((call.path, call.nth), []).append(tap)

    def leaves(self, call: ModuleCall, tap: Tap) -> None:
        """Add a tensor that a module returns."""
        self.leaving.setdefault((call.path, call.nth), []).append(tap)


@dataclass(eq=False)
class Known:
    """The findings of one pass of a model, which later passes use."""

    plan: Plan | None
    lacks: str = ""
    """The missing proof, if there is no plan."""
    blocks: frozenset[str] = frozenset()
    """The modules whose outputs replace the residual stream, if there is no plan."""
    difference: float | None = None
    """The difference between a recorded pass and a plain one, if they were compared."""
    reads: Mapping[Call, Reads] = field(default_factory=dict)
    """The tokens that each attention reads, by its module and the number of earlier attentions."""
    texts: tuple[str | int, ...] = ()
    """The names or places of the arguments that hold texts, numbered as in `reads`."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """The reason for each attention and layer that ran but is not recorded, by path."""
    anatomy: Anatomy | None = None
    """The model's anatomy, once a record by the plan has shown it."""


class StalePlanError(LookupError):
    """A pass that differs from the plan, which another pass had shown."""


def own_name(path: str, nth: int) -> str:
    """Name an attention by its module's path and by the number of the module's earlier ones."""
    name = path or "attention"
    return f"{name}({nth + 1})" if nth else name


def output_name(path: str, nth: int) -> str:
    """Name the output of a module, or of the whole model."""
    return f"{own_name(path, nth)}.output" if path else "output"


def by_our_names(name: str, own_names: Mapping[str, str]) -> str:
    """Return Loupe's name of an attention's tensor, from either of its two names."""
    base, _, part = name.rpartition(".")
    return f"{own_names[base]}.{part}" if base in own_names else name
