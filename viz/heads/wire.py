"""The measures of all heads of a run as they are sent, by name."""

from typing import TypedDict

from viz.heads.jobs import Over
from viz.run.axes import AttentionKind


class WireRole(TypedDict):
    """A job of a head."""

    job: str
    rows: int
    """Its cases, over all sentences."""
    rate: float
    chance: float


class WireRoles(TypedDict):
    """The jobs of all heads by layer and head, and over which sentences."""

    over: Over
    sentences: int
    heads: dict[AttentionKind, list[list[list[WireRole]]]]


class WireMeasures(TypedDict):
    """What every head of a run does, in numbers, by the measure's name, and in words."""

    run: str
    metrics: dict[AttentionKind, dict[str, list[list[float | None]]]]
    roles: WireRoles | None
    changed: bool
    """Whether the model is changed in this run. The pictures then name no jobs of its heads."""
    cases: dict[AttentionKind, dict[str, list[tuple[int, int]]]]
    """By job, where it is known: the cells of this run that it is about."""
