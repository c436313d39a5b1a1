"""A map in the form that the browser receives."""

from typing import Literal, NotRequired, TypedDict

from viz.run.axes import AttentionKind
from viz.run.wire import WireArray
from viz.subjects.map.blocks import Dimension, MaskName, PlaceName, Role, StackName


class WireBlock(TypedDict):
    """One block; empty and false fields are not sent."""

    id: str
    stack: StackName
    layer: NotRequired[int]
    role: Role
    label: NotRequired[str]
    short: NotRequired[str]
    note: NotRequired[str]
    tensor: str
    holds: NotRequired[tuple[str, ...]]
    """The names of its tensors that do not begin with the block's own."""
    shape: tuple[Dimension, ...]
    sentence: int
    """The index of its sentence among those of the map."""
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
    """The map of the model of a run, on any page."""

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
    """Samples by path, of tensors that the map draws and the run does not send."""
    by_row: NotRequired[bool]
    """Whether the candidates are those of the selected row, because the model writes nothing."""


class WireShownMap(WireMap):
    """The map in one place of a page."""

    size: Literal["small", "large"]
    tensor: str | None
    lit: list[str]
