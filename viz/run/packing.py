"""Packs the names and the measures of a run for the browser, without the app's server."""

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from sample_data.tasks import task_languages
from texts import named, say
from viz.heads.head_summary import Metrics
from viz.run.record import AttentionKind
from viz.run.wire import WireMeasures, WireRole, WireRoles

if TYPE_CHECKING:  # the rules of jobs, which a picture without jobs does not need
    from viz.heads.head_roles import HeadRole, HeadRoles
    from viz.heads.job_cases import Cases


def run_key(*inputs: object) -> str:
    """Name a run by its inputs, for the browser."""
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]


def pack_measures(
    measured: Metrics,
    key: str,
    roles: "HeadRoles | None" = None,
    cases: "Cases | None" = None,
    *,
    changed: bool = False,
) -> WireMeasures:
    """Pack the measures of every head of a run, which a picture does not wait for."""
    return {
        "run": key,
        "metrics": {
            kind: {name: _plain(values) for name, values in named.items() if not _empty(values)}
            for kind, named in measured.items()
        },
        "roles": roles and _pack_roles(roles),
        "changed": changed,
        "cases": {kind: dict(named) for kind, named in (cases or {}).items()},
    }


def _pack_roles(roles: "HeadRoles") -> WireRoles:
    def packed(role: "HeadRole") -> WireRole:
        return {"job": role.job.name, "rows": role.rows, "rate": role.rate, "chance": role.chance}

    return {
        "over": roles.over,
        "sentences": roles.sentences,
        "heads": {
            kind: [[[packed(role) for role in head] for head in layer] for layer in layers]
            for kind, layers in roles.heads.items()
        },
    }


def one_text_titles() -> tuple[str, str]:
    """Name both axes for a model of one text."""
    return say("axis.query"), say("axis.key")


def side_names(task: str) -> tuple[str, str]:
    """Name the two sides of a task, in the language of the reader."""
    return said_sides(task_languages(task))


def said_sides(sides: tuple[str, str]) -> tuple[str, str]:
    """Return the names of two sides in the language of the reader."""
    source, target = sides
    return named("side", source) or source, named("side", target) or target


def axis_titles(kind: AttentionKind, languages: tuple[str, str]) -> tuple[str, str]:
    """Name both axes of one kind of attention."""
    source, target = languages
    if kind == "encoder self-attention":
        return say("axis.query_reads", language=source), say("axis.key_read", language=source)
    query = say("axis.query_writes", language=target)
    if kind == "cross-attention":
        return query, say("axis.key_read", language=source)
    return query, say("axis.key_there", language=target)


def _plain(values: Float[np.ndarray, "layer head"]) -> list[list[float | None]]:
    return [[None if np.isnan(v) else float(v) for v in row] for row in values]


def _empty(values: Float[np.ndarray, "layer head"]) -> bool:
    return bool(np.isnan(values).all())
