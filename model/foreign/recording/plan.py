"""Which of a model's modules read and give the tensors that a record names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from torch import Tensor

from model.anatomy import Placement
from model.config import Positions
from model.foreign.recording.functions import Call
from model.foreign.recording.log import ModuleCall

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


@dataclass(frozen=True)
class StackPlan:
    """One stack of layers."""

    side: Side
    n_layers: int
    placement: Placement
    """Where the norms of its first layer stand."""


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

    @property
    def own_names(self) -> Mapping[str, str]:
        """Our names of the attentions by those that they have where nothing is proven."""
        return {own_name(*call): name for call, name in self.attentions.items()}

    def enters(self, call: ModuleCall, tap: Tap) -> None:
        """Add what a module reads."""
        self.entering.setdefault((call.path, call.nth), []).append(tap)

    def leaves(self, call: ModuleCall, tap: Tap) -> None:
        """Add what a module gives."""
        self.leaving.setdefault((call.path, call.nth), []).append(tap)


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
