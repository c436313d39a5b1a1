"""The messages with the measures of all heads of a run, by name."""

from typing import TypedDict

from viz.heads.jobs import Over
from viz.run.axes import AttentionKind


class WireRole(TypedDict):
    """A job of a head."""

    job: str
    rows: int
    """Number of its cases, over all sentences."""
    rate: float
    chance: float


class WireRoles(TypedDict):
    """The jobs of all heads by layer and head, and the sentences over which they were measured."""

    over: Over
    sentences: int
    heads: dict[AttentionKind, list[list[list[WireRole]]]]


class WireMeasures(TypedDict):
    """The measures of every head of a run, by name, with the jobs of the heads."""

    run: str
    metrics: dict[AttentionKind, dict[str, list[list[float | None]]]]
    roles: WireRoles | None
    changed: bool
    """Whether the model is changed in this run, so that pictures name no jobs of its heads."""
    cases: dict[AttentionKind, dict[str, list[tuple[int, int]]]]
    """The cells of this run that are cases of each job, if known."""
