"""Which of a model's modules read and give the tensors that a record names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from model.anatomy import Placement
from model.huggingface.log import ModuleCall

Side = Literal["encoder", "decoder"]
Call = tuple[str, int]
"""A module's name, and how many times it ran before in the same pass: layers may share one."""
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


@dataclass(frozen=True)
class StackPlan:
    """One stack of layers."""

    side: Side
    n_layers: int
    crosses: bool
    """Whether its layers have cross-attention."""
    is_embedded: bool
    """Whether the parts of its embedding were found."""
    has_positions: bool
    """Whether positions are vectors added to the embeddings."""
    placement: Placement
    """Where the norms of its first layer stand."""


@dataclass(frozen=True)
class Plan:
    """Where everything is that could be proven to be there."""

    entering: Mapping[Call, tuple[Tap, ...]]
    leaving: Mapping[Call, tuple[Tap, ...]]
    attentions: Mapping[Call, str]
    """By attention module, the name of the attention: `decoder.layers.1.self_attn`."""
    heads: Mapping[str, tuple[int, int]]
    """By name of an attention, how many heads of queries, and of keys and values, it has."""
    stacks: tuple[StackPlan, ...]

    @property
    def names(self) -> frozenset[str]:
        """Every tensor that can be edited."""
        taps = [tap for taps in (*self.entering.values(), *self.leaving.values()) for tap in taps]
        attention = ("query", "key", "value", "scores", "mask", "weights", "heads")
        return frozenset(
            {tap.name for tap in taps}
            | {f"{base}.{part}" for base in self.attentions.values() for part in attention}
            | {"logits", "output"}
        )


@dataclass
class Found:
    """A plan in the making."""

    entering: dict[Call, list[Tap]] = field(default_factory=dict)
    leaving: dict[Call, list[Tap]] = field(default_factory=dict)
    attentions: dict[Call, str] = field(default_factory=dict)
    heads: dict[str, tuple[int, int]] = field(default_factory=dict)

    def enters(self, call: ModuleCall, tap: Tap) -> None:
        """Add what a module reads."""
        self.entering.setdefault((call.path, call.nth), []).append(tap)

    def leaves(self, call: ModuleCall, tap: Tap) -> None:
        """Add what a module gives."""
        self.leaving.setdefault((call.path, call.nth), []).append(tap)

    def plan(self, stacks: tuple[StackPlan, ...]) -> Plan:
        """Give the finished plan."""
        return Plan(
            entering={call: tuple(taps) for call, taps in self.entering.items()},
            leaving={call: tuple(taps) for call, taps in self.leaving.items()},
            attentions=self.attentions,
            heads=self.heads,
            stacks=stacks,
        )
