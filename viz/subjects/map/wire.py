"""What is sent of a map, by name."""

from typing import Literal, NotRequired, TypedDict

from viz.run.axes import AttentionKind
from viz.subjects.map.blocks import MaskName, PlaceName, Role, StackName


class WireBlock(TypedDict):
    """One block; what is empty or false of it is not sent."""

    id: str
    stack: StackName
    layer: NotRequired[int]
    role: Role
    label: str
    short: str
    note: NotRequired[str]
    tensor: str
    holds: NotRequired[tuple[str, ...]]
    """Without the names that begin with the block's own."""
    shape: str
    sentence: int
    """Its number among the map's sentences."""
    pictured: NotRequired[bool]
    kind: NotRequired[AttentionKind]
    masks: NotRequired[tuple[MaskName, ...]]
    place: NotRequired[PlaceName]
    outside: NotRequired[bool]


class WirePicture(TypedDict):
    """A small picture of a tensor, and where its codes begin among all."""

    rows: int
    columns: int
    offset: int
    largest: float


class WireMap(TypedDict):
    """The map of a run, wherever it is shown."""

    blocks: list[WireBlock]
    layers: dict[StackName, int]
    widths: dict[StackName, str]
    heads: int
    pre_norm: bool
    parallel: NotRequired[bool]
    ties: tuple[tuple[str, str], ...]
    sentences: list[str]
    run: str
    pictures: dict[str, WirePicture]
    candidates: list[list[tuple[str, float, bool]]]
    tokens: dict[StackName, tuple[str, ...]]
    by_row: NotRequired[bool]
    """Whether the candidates are of the row that reads, as nothing is written."""


class WireShownMap(WireMap):
    """The map in one place of a page."""

    size: Literal["small", "large"]
    tensor: str | None
    lit: list[str]
