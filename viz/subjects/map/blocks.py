"""The parts of a map: blocks, and facts about the whole model."""

from dataclasses import dataclass
from typing import Literal

from model.anatomy import Side
from viz.run.axes import AttentionKind

StackName = Literal["encoder", "decoder"]
Role = Literal[
    "tokens",
    "embedding",
    "positions",
    "segments",
    "sum",
    "embedding_norm",
    "attention",
    "feed_forward",
    "norm",
    "add",
    "add_norm",
    "final_norm",
    "transform",
    "linear",
    "output",
    "candidates",
]
MaskName = Literal["causal", "window", "padding"]
PlaceName = Literal["rotary", "alibi", "relative"]
"""Positions that act in an attention, not on the embeddings."""
Dimension = int | Side
"""A size of the model, or the number of tokens of a text that the model reads."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """One block of the map, and the part of the run that it shows."""

    id: str
    """The path of its module, if it is one; unique."""
    stack: StackName
    layer: int | None
    """None below and above the layers."""
    role: Role
    label: str
    """Empty for tokens, which the browser counts."""
    short: str
    """The label for a narrow block."""
    note: str
    """A second line: the choice of this variant or this run for the block."""
    tensor: str
    """The name of the run's tensor that it opens."""
    holds: tuple[str, ...]
    """The names of the run's tensors that it represents; it is highlighted if one is in view."""
    shape: tuple[Dimension, ...]
    """The shape of `tensor`, without the batch."""
    sentence: str
    pictured: bool = True
    """Whether it draws the values of `tensor` in a small picture."""
    kind: AttentionKind | None = None
    masks: tuple[MaskName, ...] = ()
    place: PlaceName | None = None
    """The positional method that acts in this attention, if one does."""
    outside: bool = False
    """Whether it is not part of the model's pass but uses its output."""


@dataclass(frozen=True)
class ModelMap:
    """All blocks in reading order: each stack from its input up, the encoder first."""

    blocks: tuple[Block, ...]
    layers: dict[StackName, int]
    d_model: int
    heads: int
    pre_norm: bool
    """Whether the norm comes before the sublayer, within the residual connection."""
    parallel: bool
    """Whether attention and feed-forward network of a layer have the same input, in parallel."""
    ties: tuple[tuple[str, str], ...]
    """Pairs of blocks with the same weights."""
