"""What is sent of a map, by name."""

from typing import Literal, NotRequired, TypedDict

from viz.run.axes import AttentionKind
from viz.run.wire import WireArray
from viz.subjects.map.blocks import Dimension, MaskName, PlaceName, Role, StackName


class WireBlock(TypedDict):
    """One block; what is empty or false of it is not sent."""

    id: str
    stack: StackName
    layer: NotRequired[int]
    role: Role
    label: NotRequired[str]
    short: NotRequired[str]
    note: NotRequired[str]
    tensor: str
    holds: NotRequired[tuple[str, ...]]
    """Without the names that begin with the block's own."""
    shape: tuple[Dimension, ...]
    sentence: int
    """Its number among the map's sentences."""
    pictured: NotRequired[bool]
    kind: NotRequired[AttentionKind]
    masks: NotRequired[tuple[MaskName, ...]]
    place: NotRequired[PlaceName]
    outside: NotRequired[bool]


class WireSample(WireArray):
    """Evenly spaced cells of a tensor that is not sent itself."""

    largest: float
    """The largest magnitude of the whole tensor."""


class WireMap(TypedDict):
    """The map of the model of a run, wherever it is shown."""

    blocks: list[WireBlock]
    layers: dict[StackName, int]
    d_model: int
    heads: int
    pre_norm: bool
    parallel: NotRequired[bool]
    ties: tuple[tuple[str, str], ...]
    sentences: list[str]
    run: str
    samples: dict[str, WireSample]
    """By path: the map draws these tensors, and the run does not send them."""
    by_row: NotRequired[bool]
    """Whether the candidates are of the row that reads, as nothing is written."""


class WireShownMap(WireMap):
    """The map in one place of a page."""

    size: Literal["small", "large"]
    tensor: str | None
    lit: list[str]
