"""Packs the measures of every head of a run for the browser."""

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from viz.heads.head_summary import Metrics
from viz.heads.wire import WireMeasures, WireRole, WireRoles

if TYPE_CHECKING:  # these rules of jobs are not needed for a picture without jobs
    from viz.heads.head_roles import HeadRole, HeadRoles
    from viz.heads.job_cases import Cases


def pack_measures(
    measured: Metrics,
    key: str,
    roles: "HeadRoles | None" = None,
    cases: "Cases | None" = None,
    *,
    changed: bool = False,
) -> WireMeasures:
    """Pack the measures of every head of a run, which pictures do not wait for."""
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


def _plain(values: Float[np.ndarray, "layer head"]) -> list[list[float | None]]:
    return [[None if np.isnan(v) else float(v) for v in row] for row in values]


def _empty(values: Float[np.ndarray, "layer head"]) -> bool:
    return bool(np.isnan(values).all())
