"""A table of a run's heads, with a row for each head."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from viz.heads.head_roles import HeadRole, HeadRoles
from viz.heads.head_summary import Metrics, most_read, weights_and_mask
from viz.run.axes import axis_tokens, layer_count
from viz.run.record import Run

NO_ROLE = "none"
"""The name of a job in the row of a head without one."""


def summarise_heads(run: Run, measured: Metrics, roles: HeadRoles | None = None) -> pd.DataFrame:
    """Describe every head of every kind in one row: its place, its jobs, its measures.

    Columns: kind, layer, head, roles (names of jobs; only NO_ROLE for a head without one; empty if
    no jobs were measured), role_rows, role_rate and role_chance (of the first job; NaN without
    one), those of `METRICS` (NaN if undefined), most_read and most_read_position: the key with the
    most weight over all rows.
    """
    rows: list[dict[str, object]] = []
    for kind, metrics in measured.items():
        _, key_tokens = axis_tokens(run, kind)
        for layer in range(layer_count(run.info.config, kind)):
            positions = most_read(*weights_and_mask(run, kind, layer))
            for head, position in enumerate(positions.tolist()):
                rows.append(
                    {"kind": kind, "layer": layer, "head": head}
                    | _describe(roles.heads[kind][layer][head] if roles else None)
                    | {name: float(values[layer, head]) for name, values in metrics.items()}
                    | {"most_read": key_tokens[position], "most_read_position": position}
                )
    return pd.DataFrame(rows)


def _describe(roles: Sequence[HeadRole] | None) -> dict[str, object]:
    names = ("role_rows", "role_rate", "role_chance")
    if not roles:
        return {"roles": () if roles is None else (NO_ROLE,), **dict.fromkeys(names, np.nan)}
    first = roles[0]
    told = dict(zip(names, (first.rows, first.rate, first.chance), strict=True))
    return {"roles": tuple(role.job.name for role in roles), **told}
