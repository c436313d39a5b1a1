"""Packs the comparison of two runs' heads for the browser."""

import math
from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from viz.run.axes import AttentionKind
from viz.subjects.compare.heads import KindChange, strongest_rows
from viz.subjects.compare.wire import WireComparison, WireKindChange

_DIGITS = 5


def pack_changes(
    changes: Mapping[AttentionKind, KindChange],
    runs: tuple[str, str],
    *,
    matched: bool,
) -> WireComparison:
    """Pack the changes of every head, the one that moved most first.

    Args:
        changes: The changes by kind of attention.
        runs: The keys of the two runs, whose weights the browser has.
        matched: Whether heads are paired by similarity, so that all their rows count.
    """
    heads = strongest_rows(changes)
    if matched:
        heads.sort(key=lambda row: -row.mean)
    return {
        "runs": runs,
        "kinds": {kind: _pack_kind(change) for kind, change in changes.items()},
        "heads": [
            {
                "kind": row.kind,
                "layer": row.layer,
                "head": row.head,
                "place": row.place,
                "moved": round(row.mean if matched else row.moved, _DIGITS),
            }
            for row in heads
        ],
        "matched": matched,
    }


def _pack_kind(change: KindChange) -> WireKindChange:
    return {
        "rows": list(change.rows),
        "columns": list(change.columns),
        "match": [list(layer) for layer in change.match],
        "moved": _plain(change.moved),
    }


def _plain(values: Float[np.ndarray, "layer head row"]) -> list[list[list[float | None]]]:
    return [
        [[None if math.isnan(v) else round(v, _DIGITS) for v in head] for head in layer]
        for layer in values.tolist()
    ]
