"""The anatomy of a model: its stacks, its attentions and their masks, read off one pass."""

from dataclasses import dataclass
from typing import Literal, get_args

from model.config import NormPlacement, Positions, Side
from model.traces import (
    AttentionTrace,
    TransformerTrace,
    present,
)

SiteName = Literal["encoder self-attention", "decoder self-attention", "cross-attention"]
SITE_NAMES: tuple[SiteName, ...] = get_args(SiteName)
StackName = Literal["encoder", "decoder"]
Placement = NormPlacement | Literal["both"]
"""With both, there is a norm before each sublayer and another after it, inside the residual
connection."""


@dataclass(frozen=True)
class Site:
    """One kind of attention of a model, the same in each layer of its stack."""

    name: SiteName
    stack: StackName
    part: Literal["self_attn", "cross_attn"]
    layers: int
    heads: int
    kv_heads: int
    """The number of key and value heads; fewer than `heads` if queries share them."""
    d_k: int
    d_v: int
    queries: Side
    """The text whose tokens are the rows."""
    keys: Side
    """The text whose tokens are the columns."""
    causal: bool
    """Whether no row reads a later column."""
    window: int | None
    """The largest number of columns that a row reads; None if there is no such limit."""
    bias: bool
    """Whether a bias that depends on the distance is added to the scores."""
    sinks: bool
    """Whether rows may sum to less than 1, because part of the softmax reads nothing."""
    rows: Literal["reads", "writes"]
    """The token that names a row: the one at its position, or the one written from it."""
    softcap: float | None = None
    """The cap that tanh sets on scaled products; None without a cap."""

    def path(self, layer: int) -> str:
        """Name the module of a layer, as the trace does: decoder.layers.1.cross_attn."""
        return f"{self.stack}.layers.{layer}.{self.part}"


@dataclass(frozen=True)
class Stack:
    """An encoder or a decoder."""

    name: StackName
    side: Side
    """The side whose text it reads."""
    layers: int


@dataclass(frozen=True)
class Anatomy:
    """The parts of a model, which decide what users can ask of it."""

    stacks: tuple[Stack, ...]
    sites: tuple[Site, ...]
    placement: Placement
    positions: Positions
    vocabularies: tuple[tuple[Side, int], ...]
    """Size of each side's vocabulary."""
    predicts: Side | None
    """The side to whose vocabulary the logits belong; None if the model has no logits."""
    feed_forward: bool
    """Whether layers have a feed-forward network."""
    is_recorded: bool = False
    """Whether third-party code computes it. Then only its record exists, and no part can run by
    itself."""

    @property
    def sides(self) -> tuple[Side, ...]:
        """The texts that are read."""
        return tuple(stack.side for stack in self.stacks)

    @property
    def names(self) -> tuple[SiteName, ...]:
        """The names of the model's attentions."""
        return tuple(site.name for site in self.sites)

    @property
    def writes(self) -> bool:
        """Whether the model writes a text, one token at a time."""
        return self.predicts == "target"

    @property
    def row_name(self) -> Literal["reads", "writes"]:
        """The token that names a row of the decoder: the one at its position, or the next one."""
        return "writes" if self.translates else "reads"

    @property
    def translates(self) -> bool:
        """Whether the model reads one text and writes another."""
        return len(self.stacks) == 2

    def site(self, name: SiteName) -> Site:
        """Find an attention. Raises LookupError if the model lacks it."""
        for site in self.sites:
            if site.name == name:
                return site
        raise LookupError(f"this model has no {name}; it has {', '.join(self.names)}")


def attention_in(trace: TransformerTrace, name: SiteName, layer: int) -> AttentionTrace:
    """Find one multi-head attention in a trace. Raises LookupError if there is none."""
    if name == "encoder self-attention":
        return present(trace.encoder).layers[layer].self_attn
    found = present(trace.decoder).layers[layer]
    return present(found.cross_attn) if name == "cross-attention" else found.self_attn
