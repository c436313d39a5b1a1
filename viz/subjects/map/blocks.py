"""What a map is made of: blocks, and what is true of the whole."""

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
    """One block of the map, and what it shows of the run."""

    id: str
    """Its module's path where it is a module; unique."""
    stack: StackName
    layer: int | None
    """None below and above the layers."""
    role: Role
    label: str
    """Empty for tokens: the browser counts them."""
    short: str
    """The label where there is little room."""
    note: str
    """A second line: what this variant or this run makes of the block."""
    tensor: str
    """Name of the run's tensor that it opens."""
    holds: tuple[str, ...]
    """Names of the run's tensors that it stands for: with one of them in view it is lit."""
    shape: tuple[Dimension, ...]
    """Of `tensor`, without the batch."""
    sentence: str
    pictured: bool = True
    """Whether it shows the values of `tensor`, as a picture of its own."""
    kind: AttentionKind | None = None
    masks: tuple[MaskName, ...] = ()
    place: PlaceName | None = None
    """How an attention tells places apart, where that is done in it."""
    outside: bool = False
    """Not part of the model's pass: done with what the model hands on."""


@dataclass(frozen=True)
class ModelMap:
    """All blocks in reading order: each stack from its input up, the encoder first."""

    blocks: tuple[Block, ...]
    layers: dict[StackName, int]
    d_model: int
    heads: int
    pre_norm: bool
    """The norm stands before the sublayer, within the residual connection."""
    parallel: bool
    """Attention and feed-forward network of a layer read the same, side by side."""
    ties: tuple[tuple[str, str], ...]
    """Pairs of blocks with the same weights."""
