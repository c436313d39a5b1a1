"""Which of a model's modules read and give the tensors that a record names."""

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
    """Where a tensor of a record is seen."""

    name: str
    """Its name in the record."""
    factor: float = 1.0
    """What the record's tensor is of the module's."""
    in_place: bool = False
    """Whether others read the same tensor, so that an edit has to be written into it."""
    one_for_all: bool = False
    """Whether the module gives it for each sentence, and the record once."""
    turned: bool = False
    """Whether the module has positions in its first axis, and the record sentences."""


APART = "="
"""Begins the name of a tensor that no record has, and that a sum is checked with."""


class Equation(NamedTuple):
    """Tensors of a pass of which one is the sum of the others."""

    terms: tuple[str, ...]
    total: str


@dataclass(frozen=True)
class StackPlan:
    """One stack of layers."""

    side: Side
    placement: Placement
    """Where the norms of its first layer stand."""
    numbers: tuple[int, ...]
    """The numbers of its layers in the model, by which they are named."""


@dataclass(eq=False)
class Plan:
    """Where everything is that could be proven to be there."""

    entering: dict[Call, list[Tap]] = field(default_factory=dict)
    leaving: dict[Call, list[Tap]] = field(default_factory=dict)
    attentions: dict[Call, str] = field(default_factory=dict)
    """By attention module, and how often it attended before, the name of the attention:
    `decoder.layers.1.self_attn`."""
    positions: dict[str, Tensor | Positions] = field(default_factory=dict)
    """By the name of an embedding, the table or the formula of its positions where no module gives
    them."""
    stacks: list[StackPlan] = field(default_factory=list)
    generator: Call | None = None
    """What makes the logits, in a model that gives them as a tensor of no name."""
    turns_logits: bool = False
    """Whether these have positions in their first axis."""
    between: tuple[str, ...] = ()
    """The names of what layers without an attention read and give, which no record has."""
    sums: list["Equation"] = field(default_factory=list)
    """What proved the parts, and has to hold in every later pass."""
    hooks_suffice: bool = False
    """Whether nothing is looked for among torch's functions: transformers' interface tells every
    attention, and nothing that modules read or give is changed in place."""

    @property
    def heard(self) -> set[str] | None:
        """The modules that have to be heard; None where an attention may be in any of them."""
        if not self.hooks_suffice:
            return None
        calls = [*self.entering, *self.leaving, *self.attentions]
        return {path for path, _ in (*calls, *([self.generator] if self.generator else []))}

    @property
    def names(self) -> set[str]:
        """The names of what every pass has to give: tensors, and attentions."""
        taps = (*self.entering.values(), *self.leaving.values())
        names = {tap.name for each in taps for tap in each if not tap.name.startswith(APART)}
        return names | set(self.attentions.values())

    @cached_property
    def summed(self) -> frozenset[str]:
        """The names of all tensors in the sums."""
        return frozenset(name for each in self.sums for name in (*each.terms, each.total))

    @property
    def own_names(self) -> Mapping[str, str]:
        """Loupe's names of the attentions, by the names of their modules."""
        return {own_name(*call): name for call, name in self.attentions.items()}

    def enters(self, call: ModuleCall, tap: Tap) -> None:
        """Add what a module reads."""
        self.entering.setdefault((call.path, call.nth), []).append(tap)

    def leaves(self, call: ModuleCall, tap: Tap) -> None:
        """Add what a module gives."""
        self.leaving.setdefault((call.path, call.nth), []).append(tap)


@dataclass(eq=False)
class Known:
    """The findings of one pass of a model, which later passes use."""

    plan: Plan | None
    lacks: str = ""
    """The missing proof, if there is no plan."""
    blocks: frozenset[str] = frozenset()
    """The modules whose outputs stand in for the stream, if there is no plan."""
    difference: float | None = None
    """The difference between a recorded pass and a plain one, if they were compared."""
    reads: Mapping[Call, Reads] = field(default_factory=dict)
    """Which tokens each attention reads, by its module and how often that attended before."""
    texts: tuple[str | int, ...] = ()
    """The names or places of the arguments that hold texts, by their numbers in `reads`."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Why it is not recorded, by the path of each attention and layer that ran and is not."""
    anatomy: Anatomy | None = None
    """What the model has, once a record by the plan has shown it."""


class StalePlanError(LookupError):
    """A pass was not as the plan has it, which another pass had shown."""


def own_name(path: str, nth: int) -> str:
    """Name an attention by the path of its module, and by how often that attended before."""
    name = path or "attention"
    return f"{name}({nth + 1})" if nth else name


def output_name(path: str, nth: int) -> str:
    """Name what a module gives, or the whole model."""
    return f"{own_name(path, nth)}.output" if path else "output"


def by_our_names(name: str, own_names: Mapping[str, str]) -> str:
    """Return our name of an attention's tensor, whichever of the two names is given."""
    base, _, part = name.rpartition(".")
    return f"{own_names[base]}.{part}" if base in own_names else name
